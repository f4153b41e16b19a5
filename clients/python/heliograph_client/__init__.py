"""A client of Heliograph. `Heliograph` signs in, renews its token and reads answers; `heliograph_client.generated.api` has every operation."""

from .client import Answer, Heliograph, Lost, Refused

__all__ = ["Answer", "Heliograph", "Lost", "Refused"]
