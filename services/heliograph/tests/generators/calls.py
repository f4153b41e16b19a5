"""Imports every module of the Python clients, and calls a running bff with one. Usage: calls.py FOLDER, which holds the clients."""

import importlib
import os
import pkgutil
import sys

sys.path.insert(0, sys.argv[1])

seen = 0
for service in ("bff", "orchestrator", "tools"):
    package = importlib.import_module(f"{service}_client")
    for module in pkgutil.walk_packages(package.__path__, f"{service}_client."):
        importlib.import_module(module.name)
        seen += 1
print(f"{seen} modules imported")

from bff_client import AuthenticatedClient, Client
from bff_client.api.auth import create_token
from bff_client.api.threads import list_threads
from bff_client.api.tools import compare_loggers, list_loggers
from bff_client.models import CompareLoggersArguments, Credentials, ListLoggersArguments, TokenResponse

url = os.environ["HELIOGRAPH_URL"]
credentials = Credentials(username=os.environ["HELIOGRAPH_USER"], password=os.environ["HELIOGRAPH_PASSWORD"])
tokens = create_token.sync(client=Client(base_url=url), body=credentials)
assert isinstance(tokens, TokenResponse), tokens
client = AuthenticatedClient(base_url=url, token=tokens.access_token, timeout=60)
loggers = list_loggers.sync(client=client, body=ListLoggersArguments()).result.loggers
assert len(loggers) >= 2, loggers
body = CompareLoggersArguments(logger_ids=[logger.logger_id for logger in loggers[:2]])
comparison = compare_loggers.sync(client=client, body=body)
assert comparison.status == "ok", comparison
summary = comparison.result.summary
assert set(summary.additional_keys) == {logger.logger_id for logger in loggers[:2]}, summary
assert list_threads.sync(client=client).threads is not None
print("called")
