"""Signing in, renewing tokens, and answers as events."""

from __future__ import annotations

import json
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any

import httpx

from .generated import AuthenticatedClient

#: Seconds before its end that a token is renewed.
EARLY = 30.0
#: An answer may be quiet for so long, in seconds; the service gives a sign of life more often.
QUIET = 60.0
#: Seconds before connections that follow one another without an event.
PAUSES = (0.2, 0.5, 1.0, 2.0, 4.0, 8.0)
#: A service that is away for a moment still has the run.
AWAY = (502, 503, 504)


class Refused(Exception):
    """What the service refused, with its problem (RFC 9457)."""

    def __init__(self, response: httpx.Response) -> None:
        try:
            self.problem: dict[str, Any] = response.json()
        except ValueError:
            self.problem = {}
        super().__init__(self.problem.get("detail") or self.problem.get("title") or f"status {response.status_code}")


class Lost(Exception):
    """The connection broke, and could not be made again. The run continues: `resume` joins it later."""


#: Opens the stream of a path, or the first one if there is no path, with these headers.
Open = Callable[[str | None, dict[str, str]], AbstractContextManager[httpx.Response]]


@dataclass
class _Seen:
    """What came of an answer: its run, and the id of the last frame."""

    run: str | None = None
    last: str | None = None


@dataclass
class Answer:
    """An answer as it comes: iterate over its events, each a `dict` with a `type`.

    When a connection breaks, the run is joined behind the last event that came."""

    _open: Open
    thread_id: str | None = None
    run_id: str | None = None
    text: str = ""
    cards: list[dict[str, Any]] = field(default_factory=list)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        self.text, self.cards = "", []
        seen = _Seen()
        failures = 0
        while True:
            broken: Exception | None = None
            try:
                for data in self._frames(seen):
                    failures = 0
                    if data == "[DONE]":
                        return
                    event = json.loads(data)
                    self._note(event)
                    yield event
            except httpx.TransportError as error:
                broken = error
            if failures == len(PAUSES):
                raise Lost("The connection to the answer broke and could not be made again.") from broken
            time.sleep(PAUSES[failures])
            failures += 1

    def _frames(self, seen: _Seen) -> Iterator[str]:
        """The data of the frames of one connection."""
        path = f"/api/runs/{seen.run}/events?dialect=ui_messages" if seen.run else None
        headers = {"Last-Event-ID": seen.last} if seen.last else {}
        with self._open(path, headers) as response:
            if response.status_code == httpx.codes.NO_CONTENT:
                yield "[DONE]"
                return
            if response.is_error:
                if seen.run and response.status_code in AWAY:
                    return
                response.read()
                raise Refused(response)
            seen.run = response.headers.get("x-run-id", seen.run)
            self.run_id, self.thread_id = seen.run, response.headers.get("x-thread-id", self.thread_id)
            identity, data = None, None
            for line in response.iter_lines():
                if line.startswith("id: "):
                    identity = line.removeprefix("id: ")
                elif line.startswith("data: "):
                    data = line.removeprefix("data: ")
                elif not line and data is not None:
                    # Only a frame that came whole counts as seen.
                    seen.last = identity or seen.last
                    yield data
                    identity, data = None, None

    def _note(self, event: dict[str, Any]) -> None:
        match event["type"]:
            case "start":
                metadata = event["messageMetadata"]
                self.thread_id, self.run_id = metadata["threadId"], metadata["runId"]
            case "text-delta":
                self.text += event["delta"]
            case "tool-input-available" if event["toolName"] == "render_ui_component":
                self.cards.append(event["input"])


class _Bearer(httpx.Auth):
    """Adds the token to each request, renewed when it is about to end."""

    def __init__(self, url: str, access: str, refresh: str | None, ends_at: float) -> None:
        self._url, self._access, self._refresh, self._ends_at = url, access, refresh, ends_at
        self._lock = threading.Lock()

    def auth_flow(self, request: httpx.Request) -> Any:
        # A refresh token works once: requests at the same time wait for the same renewal.
        with self._lock:
            if self._refresh and time.monotonic() > self._ends_at - EARLY:
                response = httpx.post(f"{self._url}/auth/refresh", json={"refresh_token": self._refresh})
                if response.is_error:
                    raise Refused(response)
                tokens = response.json()
                self._access, self._refresh = tokens["access_token"], tokens["refresh_token"]
                self._ends_at = time.monotonic() + tokens["expires_in"]
            access = self._access
        request.headers["Authorization"] = f"Bearer {access}"
        yield request


class Heliograph:
    """Heliograph, on behalf of an account."""

    def __init__(self, url: str, auth: httpx.Auth) -> None:
        self.url = url.rstrip("/")
        self._http = httpx.Client(base_url=self.url, auth=auth, timeout=httpx.Timeout(QUIET, connect=10.0))
        #: The client that the operations take: `list_loggers.sync(client=heliograph.client, body=…)`.
        self.client = AuthenticatedClient(base_url=self.url, token="", timeout=httpx.Timeout(QUIET))
        self.client.set_httpx_client(self._http)

    @classmethod
    def sign_in(cls, url: str, username: str, password: str) -> Heliograph:
        """Signs in with a name and a password."""
        url = url.rstrip("/")
        response = httpx.post(f"{url}/auth/token", json={"username": username, "password": password})
        if response.is_error:
            raise Refused(response)
        tokens = response.json()
        ends_at = time.monotonic() + tokens["expires_in"]
        return cls(url, _Bearer(url, tokens["access_token"], tokens["refresh_token"], ends_at))

    @classmethod
    def with_key(cls, url: str, key: str) -> Heliograph:
        """Uses an API key."""
        return cls(url, _Bearer(url.rstrip("/"), key, None, 0.0))

    def ask(self, message: str, *, thread_id: str | None = None, assistant: str | None = None) -> Answer:
        """Sends a message, and reads the answer as it comes. The message is sent once, also when connections break."""
        body: dict[str, Any] = {"messages": [{"role": "user", "content": message}]}
        if thread_id:
            body["threadId"] = thread_id
        if assistant:
            body["assistant"] = assistant
        key = uuid.uuid4().hex

        def opened(path: str | None, headers: dict[str, str]) -> AbstractContextManager[httpx.Response]:
            if path:
                return self._http.stream("GET", path, headers=headers)
            # The same message with the same key is one run.
            return self._http.stream("POST", "/api/chat", json=body, headers={"Idempotency-Key": key})

        return Answer(opened, thread_id=thread_id)

    def choose(self, thread_id: str, value: str) -> Answer:
        """Answers a picker: the value that a person chose."""
        return self.ask(f"Selected: {value}", thread_id=thread_id)

    def resume(self, thread_id: str) -> Answer:
        """Reads the answer that is being made in a thread, from its first event."""
        first = f"/api/chat/{thread_id}/stream"
        return Answer(lambda path, headers: self._http.stream("GET", path or first, headers=headers), thread_id=thread_id)

    def stop(self, thread_id: str) -> None:
        """Stops the answer that is being made in a thread."""
        response = self._http.post(f"/api/chat/{thread_id}/stop")
        if response.is_error:
            raise Refused(response)
