"""Signs in, calls three tools, holds a chat with cards, and reads a stream again.

Usage: HELIOGRAPH_URL=… HELIOGRAPH_USER=… HELIOGRAPH_PASSWORD=… python chat.py"""

import os

from heliograph_client import Heliograph
from heliograph_client.generated.api.tools import get_fleet_overview, get_power_curve, list_loggers
from heliograph_client.generated.models import FleetOverviewArguments, ListLoggersArguments, PowerCurveArguments

heliograph = Heliograph.sign_in(
    os.environ.get("HELIOGRAPH_URL", "http://127.0.0.1:8080"), os.environ.get("HELIOGRAPH_USER", "demo"), os.environ["HELIOGRAPH_PASSWORD"]
)
client = heliograph.client

logger = list_loggers.sync(client=client, body=ListLoggersArguments()).result.loggers[0]
print("device", logger.logger_id)
print("fleet", get_fleet_overview.sync(client=client, body=FleetOverviewArguments()).status)
day = logger.latest_data.date()
curve = get_power_curve.sync(client=client, body=PowerCurveArguments(logger_id=logger.logger_id, date=day))
print("peak", curve.summary_stats.peak_value, "W")

answer = heliograph.ask("Give me the morning briefing")
events = sum(1 for _ in answer)
print(answer.text)
print("cards", len(answer.cards), "events", events)
assert answer.text and answer.thread_id and events

# The answer is being made whether it is read or not: leave, and come back.
for event in heliograph.ask(f"Check the health of {logger.logger_id}", thread_id=answer.thread_id):
    if event["type"] == "start":
        break
print("resumed", sum(1 for _ in heliograph.resume(answer.thread_id)), "events")
