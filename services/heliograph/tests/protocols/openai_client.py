"""The packages `openai` and `langchain-openai` against a running Heliograph."""

import os

from langchain_core.messages import AIMessage, HumanMessage
from langchain_openai import ChatOpenAI
from openai import AuthenticationError, BadRequestError, NotFoundError, OpenAI

base = os.environ["HELIOGRAPH_URL"] + "/v1"
key = os.environ["HELIOGRAPH_TOKEN"]
client = OpenAI(base_url=base, api_key=key)

assert [model.id for model in client.models.list()] == ["site", "data", "analyst", "advisor"]

hello = [{"role": "user", "content": "Hello"}]
whole = client.chat.completions.create(model="site", messages=hello)
assert whole.choices[0].message.content and whole.choices[0].finish_reason == "stop", whole
text, usage = "", None
for chunk in client.chat.completions.create(model="site", messages=hello, stream=True, stream_options={"include_usage": True}):
    text += (chunk.choices[0].delta.content or "") if chunk.choices else ""
    usage = chunk.usage or usage
assert text and usage.total_tokens >= 0, (text, usage)

response = client.responses.create(model="site", input="Check the health")
assert "LTI-INV-001" in response.output_text, response.output_text
following = client.responses.create(model="site", input="LTI-INV-001", previous_response_id=response.id)
assert "Health score" in following.output_text, following.output_text


def refused(kind, **changed):
    try:
        client.chat.completions.create(**{"model": "site", "messages": hello, **changed})
    except kind as error:
        return error
    raise AssertionError(f"{changed} was taken")


assert refused(NotFoundError, model="gpt-4o").code == "model_not_found"
assert refused(BadRequestError, tools=[{"type": "function", "function": {"name": "f"}}]).param == "tools"
try:
    OpenAI(base_url=base, api_key="wrong").models.list()
    raise AssertionError("a wrong key was taken")
except AuthenticationError:
    pass

chat = ChatOpenAI(base_url=base, api_key=key, model="site", temperature=0)
first = chat.invoke([HumanMessage("Check the health")])
assert "LTI-INV-001" in first.content, first
second = chat.invoke([HumanMessage("Check the health"), AIMessage(first.content), HumanMessage("LTI-INV-001")])
assert "Health score" in second.content, second
streamed = "".join(part.content for part in chat.stream("Hello"))
assert streamed, streamed
print("openai and langchain-openai of PyPI: fine")
