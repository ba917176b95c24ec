/**
 * Network errors of Chromium (`net::ERR_…`, its net_error_list) and of Firefox (`NS_ERROR_…`), as browser drivers print
 * them.
 */
import { diagnose, type Diagnosis, each, row, type Table, unknownHost } from "./Diagnosis.ts"

const chromium: Table = {
  ...each(unknownHost, "ERR_NAME_NOT_RESOLVED ERR_ICANN_NAME_COLLISION"),
  ...each(
    diagnose("connection_failed"),
    `
    ERR_CONNECTION_REFUSED ERR_CONNECTION_FAILED ERR_ADDRESS_UNREACHABLE ERR_INTERNET_DISCONNECTED
    ERR_NAME_RESOLUTION_FAILED ERR_DNS_TIMED_OUT ERR_DNS_SERVER_FAILED ERR_NETWORK_ACCESS_DENIED
    ERR_PROXY_CONNECTION_FAILED ERR_TUNNEL_CONNECTION_FAILED ERR_SOCKS_CONNECTION_FAILED
  `
  ),
  ...each(
    diagnose("connection_lost"),
    `
    ERR_CONNECTION_RESET ERR_CONNECTION_CLOSED ERR_CONNECTION_ABORTED ERR_NETWORK_CHANGED ERR_EMPTY_RESPONSE
    ERR_HTTP2_PROTOCOL_ERROR ERR_QUIC_PROTOCOL_ERROR ERR_HTTP2_SERVER_REFUSED_STREAM
    ERR_NETWORK_IO_SUSPENDED ERR_SOCKET_NOT_CONNECTED ERR_HTTP2_PING_FAILED
  `
  ),
  ...each(diagnose("body_cut"), "ERR_CONTENT_LENGTH_MISMATCH ERR_INCOMPLETE_CHUNKED_ENCODING"),
  ...each(diagnose("timeout"), "ERR_TIMED_OUT ERR_CONNECTION_TIMED_OUT"),
  ...each(
    diagnose("invalid_request"),
    `
    ERR_INVALID_URL ERR_UNKNOWN_URL_SCHEME ERR_DISALLOWED_URL_SCHEME ERR_UNSAFE_PORT ERR_INVALID_ARGUMENT
    ERR_ADDRESS_INVALID
  `
  ),
  ...each(diagnose("unknown_reference"), "ERR_FILE_NOT_FOUND"),
  ...each(
    diagnose("refused"),
    `
    ERR_TOO_MANY_REDIRECTS ERR_BLOCKED_BY_CLIENT ERR_BLOCKED_BY_RESPONSE ERR_BLOCKED_BY_ADMINISTRATOR
    ERR_BLOCKED_BY_ORB ERR_BLOCKED_BY_CSP ERR_UNSAFE_REDIRECT
  `
  ),
  ...each(diagnose("tool_failed"), "ERR_ABORTED ERR_FAILED"),
  ...each(diagnose("unauthorized"), "ERR_ACCESS_DENIED ERR_INVALID_AUTH_CREDENTIALS ERR_PROXY_AUTH_UNSUPPORTED"),
  ...each(diagnose("invalid_result"), "ERR_INVALID_RESPONSE ERR_INVALID_HTTP_RESPONSE ERR_CONTENT_DECODING_FAILED"),
  ...each(diagnose("out_of_memory"), "ERR_OUT_OF_MEMORY"),
  ...each(diagnose("too_many_open"), "ERR_INSUFFICIENT_RESOURCES")
}

const firefox: Table = {
  ...each(unknownHost, "NS_ERROR_UNKNOWN_HOST"),
  ...each(
    diagnose("connection_failed"),
    `
    NS_ERROR_CONNECTION_REFUSED NS_ERROR_OFFLINE NS_ERROR_PROXY_CONNECTION_REFUSED
    NS_ERROR_UNKNOWN_PROXY_HOST
  `
  ),
  ...each(diagnose("connection_lost"), "NS_ERROR_NET_RESET NS_ERROR_NET_INTERRUPT NS_ERROR_NET_PARTIAL_TRANSFER"),
  ...each(diagnose("timeout"), "NS_ERROR_NET_TIMEOUT"),
  ...each(diagnose("invalid_request"), "NS_ERROR_MALFORMED_URI NS_ERROR_UNKNOWN_PROTOCOL"),
  ...each(diagnose("refused"), "NS_ERROR_REDIRECT_LOOP"),
  ...each(diagnose("tool_failed"), "NS_BINDING_ABORTED NS_ERROR_ABORT")
}

/**
 * Returns the diagnosis of `net:ERR_CONNECTION_RESET` or `NS_ERROR_NET_RESET`. Unlisted TLS errors share one diagnosis.
 */
export const ofBrowser = (code: string): Diagnosis | undefined => {
  if (code.startsWith("NS_")) return row(firefox, code)
  if (!code.startsWith("net:")) return undefined
  const name = code.slice(4)
  return row(chromium, name) ?? (/^ERR_(?:CERT|SSL|BAD_SSL|ECH)_/.test(name) ? diagnose("misconfigured") : undefined)
}
