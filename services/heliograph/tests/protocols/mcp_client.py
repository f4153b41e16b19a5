"""The package `mcp` of PyPI against a running Heliograph: the newest revision, which has no sessions, and an older one."""

import asyncio
import os

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import ElicitResult

URL = f"{os.environ['HELIOGRAPH_URL']}/mcp"
QUESTION = {"message": "Check the health"}


async def choose(context, params):
    return ElicitResult(action="accept", content={"selection": "LTI-INV-001"})


async def main() -> None:
    headers = {"Authorization": f"Bearer {os.environ['HELIOGRAPH_TOKEN']}"}
    async with httpx2.AsyncClient(headers=headers, timeout=60) as http:
        async with Client(streamable_http_client(URL, http_client=http)) as client:
            print("revision", client.protocol_version)
            tools = {tool.name for tool in (await client.list_tools()).tools}
            assert {"ask_site", "list_loggers"} <= tools, tools
            loggers = await client.call_tool("list_loggers", {})
            assert not loggers.is_error and loggers.structured_content["status"] == "ok", loggers
            asked = await client.call_tool("ask_site", QUESTION)
            said = asked.structured_content
            assert said["asks_back"], asked
            answer = await client.call_tool("ask_site", {"message": "LTI-INV-001", "thread_id": said["thread_id"]})
            assert "Health score" in answer.content[0].text, answer
    async with httpx2.AsyncClient(headers=headers, timeout=60) as http:
        async with Client(streamable_http_client(URL, http_client=http), elicitation_callback=choose) as client:
            elicited = await client.call_tool("ask_site", QUESTION)
            assert not elicited.structured_content["asks_back"], elicited


asyncio.run(main())
print("mcp of PyPI: fine")
