"""Signing in, renewing tokens, and answers as events."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import httpx

from .generated import AuthenticatedClient

#: Seconds before its end that a token is renewed.
EARLY = 30.0
#: An answer may be quiet for so long, in seconds; the service gives a sign of life more often.
QUIET = 60.0


class Refused(Exception):
    """What the service refused, with its problem (RFC 9457)."""

    def __init__(self, response: httpx.Response) -> None:
        try:
            self.problem: dict[str, Any] = response.json()
        except ValueError:
            self.problem = {}
        super().__init__(self.problem.get("detail") or self.problem.get("title") or f"status {response.status_code}")


@dataclass
class Answer:
    """An answer as it comes: iterate over its events, each a `dict` with a `type`."""

    _open: Any
    thread_id: str | None = None
    run_id: str | None = None
    text: str = ""
    cards: list[dict[str, Any]] = field(default_factory=list)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        with self._open() as response:
            if response.status_code == httpx.codes.NO_CONTENT:
                return
            if response.is_error:
                response.read()
                raise Refused(response)
            for line in response.iter_lines():
                if not line.startswith("data: ") or line == "data: [DONE]":
                    continue
                event = json.loads(line.removeprefix("data: "))
                self._note(event)
                yield event

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
        """Sends a message, and reads the answer as it comes."""
        body: dict[str, Any] = {"messages": [{"role": "user", "content": message}]}
        if thread_id:
            body["threadId"] = thread_id
        if assistant:
            body["assistant"] = assistant
        return Answer(lambda: self._http.stream("POST", "/api/chat", json=body), thread_id=thread_id)

    def choose(self, thread_id: str, value: str) -> Answer:
        """Answers a picker: the value that a person chose."""
        return self.ask(f"Selected: {value}", thread_id=thread_id)

    def resume(self, thread_id: str) -> Answer:
        """Reads the answer that is being made in a thread, from its first event."""
        return Answer(lambda: self._http.stream("GET", f"/api/chat/{thread_id}/stream"), thread_id=thread_id)

    def stop(self, thread_id: str) -> None:
        """Stops the answer that is being made in a thread."""
        response = self._http.post(f"/api/chat/{thread_id}/stop")
        if response.is_error:
            raise Refused(response)
