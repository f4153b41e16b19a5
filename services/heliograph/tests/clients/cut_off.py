"""Asks over connections that break, and asks what is refused. Prints what came as JSON."""

import json
import os

from heliograph_client import Heliograph, Refused

heliograph = Heliograph.sign_in(os.environ["HELIOGRAPH_URL"], os.environ["HELIOGRAPH_USER"], os.environ["HELIOGRAPH_PASSWORD"])
answer = heliograph.ask("Morning briefing", thread_id=os.environ["HELIOGRAPH_THREAD"])
for _ in answer:
    pass
refused = ""
try:
    for _ in heliograph.ask("Hello", assistant="nobody"):
        pass
except Refused as error:
    refused = str(error)
print(json.dumps({"text": answer.text, "refused": refused}))
