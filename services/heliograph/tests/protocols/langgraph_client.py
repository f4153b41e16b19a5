"""The package `langgraph-sdk` of PyPI against a running Heliograph."""

import asyncio
import os

from langgraph_sdk import get_client, get_sync_client

URL = f"{os.environ['HELIOGRAPH_URL']}/lg"
KEY = os.environ["HELIOGRAPH_TOKEN"]


def ask(content):
    return {"messages": [{"role": "user", "content": content}]}


async def main() -> None:
    client = get_client(url=URL, api_key=KEY)
    assert [one["assistant_id"] for one in await client.assistants.search()] == ["site", "data", "analyst", "advisor"]
    thread = (await client.threads.create(graph_id="site"))["thread_id"]
    parts = []
    async for part in client.runs.stream(thread, "site", input=ask("Check the health"), stream_mode=["values", "messages-tuple", "updates"]):
        parts.append(part)
    assert parts[0].event == "metadata", parts[0]
    values = [part.data for part in parts if part.event == "values"][-1]
    assert values["__interrupt__"][0]["value"]["options"], values
    assert any("__interrupt__" in part.data for part in parts if part.event == "updates")
    asked = await client.threads.get_state(thread)
    state = await client.runs.wait(thread, "site", command={"resume": "LTI-INV-001"})
    assert state["messages"][-1]["type"] == "ai", state
    assert (await client.threads.get_state(thread))["values"]["messages"][-1]["content"] == state["messages"][-1]["content"]
    assert len(await client.threads.get_history(thread)) == 2
    # A checkpoint stays as it was when it was the newest.
    assert await client.threads.get_state(thread, checkpoint_id=asked["checkpoint"]["checkpoint_id"]) == asked
    assert (await client.threads.get_history(thread))[-1] == asked
    runs = await client.runs.list(thread)
    assert [run["status"] for run in runs] == ["success", "success"], runs
    joined = await client.runs.join(thread, runs[0]["run_id"])
    assert joined["messages"][-1]["content"] == state["messages"][-1]["content"]
    again = [part.event async for part in client.runs.join_stream(thread, runs[0]["run_id"], stream_mode="values")]
    assert again[-1] == "values", again
    # Joined in other modes than those that it was streamed in; the ids of events are the same.
    for mode, event in [("updates", "updates"), ("messages-tuple", "messages"), ("messages", "messages/partial"), (["custom", "values"], "values")]:
        joined = [part async for part in client.runs.join_stream(thread, runs[1]["run_id"], stream_mode=mode)]
        assert event in [part.event for part in joined], (mode, joined)
    last = [part.id for part in parts if part.event == "messages"][-1]
    rest = [part async for part in client.runs.join_stream(thread, runs[1]["run_id"], stream_mode="values", last_event_id=last)]
    assert [part.event for part in rest] == ["values"] and rest[0].data["__interrupt__"], rest
    (found,) = [one for one in await client.threads.search(limit=100) if one["thread_id"] == thread]
    assert found["values"]["messages"][-1]["content"] == state["messages"][-1]["content"], found
    (found,) = [one for one in await client.threads.search(limit=100, select=["thread_id"]) if one["thread_id"] == thread]
    assert found == {"thread_id": thread}, found
    before = {one["thread_id"] for one in await client.threads.search(limit=100)}
    await client.threads.copy(thread)
    (copy,) = [one for one in await client.threads.search(limit=100) if one["thread_id"] not in before]
    copied = await client.threads.get_state(copy["thread_id"])
    assert copied["values"] == (await client.threads.get_state(thread))["values"]
    assert copied["checkpoint"]["thread_id"] == copy["thread_id"]
    await client.threads.delete(copy["thread_id"])
    run = await client.runs.create(thread, "site", input=ask("Hello"))
    await client.runs.cancel(thread, run["run_id"], wait=True)
    assert (await client.runs.get(thread, run["run_id"]))["status"] in ("success", "interrupted")
    await client.threads.delete(thread)


asyncio.run(main())
sync = get_sync_client(url=URL, api_key=KEY)
assert sync.runs.wait(None, "site", input=ask("Hello"))["messages"][-1]["type"] == "ai"
print("langgraph-sdk of PyPI: fine")
