"""Open WebUI itself against a running Heliograph: started as docs/from-open-webui.md says, connected by
base URL and key, and asked as its page and as its API ask.

It uses a search engine and a speech service only when asked to, so that neither it nor a model of its
own is installed here.
"""

import json
import os
import re
import shlex
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
import uuid

HELIOGRAPH = os.environ["HELIOGRAPH_URL"]
KEY = os.environ["HELIOGRAPH_TOKEN"]
# What this program would look for elsewhere.
APART = {
    "ENABLE_OLLAMA_API": "false",
    "OFFLINE_MODE": "true",
    "HF_HUB_OFFLINE": "1",
    "RAG_EMBEDDING_ENGINE": "openai",
    "AUDIO_STT_ENGINE": "openai",
    "VECTOR_DB": "opensearch",
    "OPENSEARCH_URI": "http://127.0.0.1:9",
    "OPENSEARCH_USERNAME": "none",
    "OPENSEARCH_PASSWORD": "none",
    "FROM_INIT_PY": "true",
    "WEBUI_SECRET_KEY": "a secret of the test",
}


def documented():
    """The variables of the command of docs/from-open-webui.md, but for those of the connection."""
    with open(os.path.join(os.environ["HELIOGRAPH_DOCS"], "from-open-webui.md")) as page:
        command = re.search(r"^docker run .*?```", page.read(), re.DOTALL | re.MULTILINE)
    words = shlex.split(command.group().removesuffix("```"))
    named = [words[at + 1].split("=", 1) for at, word in enumerate(words) if word == "-e"]
    found = {name: value for name, value in named if not name.startswith("OPENAI_API_")}
    assert len(found) == len(named) - 2, named
    return found


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


class OpenWebUI:
    def __init__(self, folder, documented):
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.log_name = os.path.join(folder, "log")
        self.log = open(self.log_name, "w")
        connection = {"OPENAI_API_BASE_URL": f"{HELIOGRAPH}/v1", "OPENAI_API_KEY": KEY}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "uvicorn", "--port", str(self.port), "open_webui.main:app"],
            env={**os.environ, **APART, **connection, **documented, "DATA_DIR": folder},
            cwd=folder,
            stdout=self.log,
            stderr=self.log,
        )
        self.token = None

    def said(self):
        with open(self.log_name) as log:
            return log.read()[-3000:]

    def wait(self):
        for _ in range(600):
            assert self.process.poll() is None, self.said()
            try:
                return self.call("/health")
            except (urllib.error.URLError, ConnectionError):
                time.sleep(0.2)
        raise AssertionError(self.said())

    def stop(self):
        self.process.terminate()
        self.process.wait()
        self.log.close()

    def open(self, path, body=None, token=None):
        request = urllib.request.Request(self.url + path)
        request.add_header("content-type", "application/json")
        if token or self.token:
            request.add_header("authorization", f"Bearer {token or self.token}")
        data = None if body is None else json.dumps(body).encode()
        try:
            return urllib.request.urlopen(request, data, timeout=120)
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{path}: {error.code} {error.read().decode()}") from error

    def call(self, path, body=None):
        with self.open(path, body) as answer:
            return json.load(answer)

    def streamed(self, body):
        """The words of an answer that a program reads from Open WebUI's own API."""
        words = []
        with self.open("/api/chat/completions", {"stream": True, **body}) as answer:
            for line in answer:
                line = line.decode().strip()
                if line.startswith("data: ") and line != "data: [DONE]":
                    event = json.loads(line.removeprefix("data: "))
                    assert "error" not in event, event
                    for choice in event.get("choices", []):
                        words.append(choice["delta"].get("content") or "")
        return "".join(words)

    def on_the_page(self, model, text, chat=None, parent=None):
        """Asks as the page does: the answer is written into the chat. Gives the chat and the answer."""
        question, answer = str(uuid.uuid4()), str(uuid.uuid4())
        message = {"id": question, "parentId": parent, "childrenIds": [], "role": "user", "content": text, "models": [model]}
        body = {
            "stream": True,
            "model": model,
            "messages": [{"role": "user", "content": text}],
            "params": {},
            "features": {},
            "variables": {},
            "session_id": "a-page",
            "id": answer,
            "parent_id": parent,
            "user_message": message,
            "background_tasks": {"title_generation": True, "tags_generation": True, "follow_up_generation": True},
        }
        if chat:
            body["chat_id"] = chat
        begun = self.call("/api/chat/completions", body)
        chat = chat or begun["chat_id"]
        for _ in range(600):
            messages = self.call(f"/api/v1/chats/{chat}")["chat"]["history"]["messages"]
            found = messages[answer]
            if found.get("done") or found.get("error"):
                return chat, answer, found
            time.sleep(0.1)
        raise AssertionError(f"no answer: {begun} {self.said()}")


def threads():
    request = urllib.request.Request(f"{HELIOGRAPH}/api/threads?limit=100")
    request.add_header("authorization", f"Bearer {KEY}")
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def main():
    with tempfile.TemporaryDirectory() as folder:
        web = OpenWebUI(folder, documented())
        try:
            web.wait()
            # The first person is the administrator.
            person = {"name": "Ada", "email": "ada@example.com", "password": "a long password"}
            web.token = web.call("/api/v1/auths/signup", person)["token"]

            # "Verify connection", and the models of the connection.
            connection = {"url": f"{HELIOGRAPH}/v1", "key": KEY, "config": {}}
            verified = web.call("/openai/verify", connection)
            assert [one["id"] for one in verified["data"]] == ["site", "data", "analyst", "advisor"], verified
            models = {one["id"] for one in web.call("/api/models")["data"]}
            assert {"site", "data", "analyst", "advisor"} <= models, models

            # A program that uses Open WebUI's API.
            first = {"role": "user", "content": "How is LTI-INV-001?"}
            words = web.streamed({"model": "site", "messages": [first]})
            assert "LTI-INV-001" in words, words

            # The page: a chat, a card, a question back that is answered in words.
            before = len(threads()["threads"])
            chat, answer, told = web.on_the_page("site", "Energy per day of LTI-INV-001 from 1 to 7 November 2025")
            assert not told.get("error"), (told, web.said())
            assert "| --- |" in told["content"], told
            chat, answer, told = web.on_the_page("site", "Check the health", chat, answer)
            assert "LTI-INV-001" in told["content"], told
            chat, answer, told = web.on_the_page("site", "LTI-INV-001", chat, answer)
            assert "Health score" in told["content"], told
            # One chat is one conversation, and nothing else was asked: no title, no tags.
            assert len(threads()["threads"]) == before + 1, threads()
        finally:
            web.stop()
    print("open-webui: fine")


if __name__ == "__main__":
    main()
