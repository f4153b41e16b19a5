"""Mail servers of aiosmtpd on loopback: one per way to encrypt, and one that cannot. They ask for a name and a password.

`server.py KEY CERTIFICATE OTHER_CERTIFICATE` prints the ports, and then each mail as it came. It ends with its standard input."""

import json
import ssl
import sys

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult

KEY, CERTIFICATE, OTHER = sys.argv[1:]


class Keep:
    async def handle_DATA(self, server, session, envelope):
        cipher = server.transport.get_extra_info("cipher")
        print(json.dumps({
            "encrypted": cipher is not None,
            "user": session.auth_data.login.decode() if session.auth_data else None,
            "to": envelope.rcpt_tos,
            "data": envelope.content.decode(),
        }), flush=True)
        return "250 taken"


def sign_in(server, session, envelope, mechanism, given):
    return AuthResult(success=given.password == b"a password of the post", handled=False, auth_data=given)


def context(certificate):
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    made.load_cert_chain(certificate, KEY)
    return made


class Server(Controller):
    def __init__(self, smtp, **more):
        super().__init__(Keep(), hostname="127.0.0.1", port=0, **more)
        self.smtp = smtp

    def factory(self):
        return SMTP(self.handler, authenticator=sign_in, auth_required=True, **self.smtp)

    def _trigger_server(self):
        # The port is known only now.
        self.port = self.server.sockets[0].getsockname()[1]
        super()._trigger_server()


servers = {
    "start_tls": Server({"tls_context": context(CERTIFICATE), "require_starttls": True}),
    "implicit": Server({"auth_require_tls": False}, ssl_context=context(CERTIFICATE)),
    "other_name": Server({"tls_context": context(OTHER), "require_starttls": True}),
    "plain": Server({"auth_require_tls": False}),
}
for server in servers.values():
    server.start()
print(json.dumps({name: server.port for name, server in servers.items()}), flush=True)
sys.stdin.read()
for server in servers.values():
    server.stop()
