/**
 * Codes of Node.js (`ERR_…`), undici (`UND_ERR_…`), its HTTP parser (`HPE_…`), zlib, OpenSSL's certificate checks,
 * axios, npm and other package managers.
 */
import { badUrl, diagnose, type Diagnosis, each, row, type Table, weak } from "./Diagnosis.ts"

const codes: Table = {
  ...each(diagnose("timeout"), "UND_ERR_CONNECT_TIMEOUT ERR_SOCKET_CONNECTION_TIMEOUT"),
  ...each(
    diagnose("timeout"),
    `
    UND_ERR_HEADERS_TIMEOUT UND_ERR_BODY_TIMEOUT UND_ERR_ABORTED ERR_HTTP_REQUEST_TIMEOUT
    ERR_SCRIPT_EXECUTION_TIMEOUT ERR_CANCELED
  `
  ),
  ...each(
    diagnose("connection_lost"),
    `
    UND_ERR_SOCKET UND_ERR_CLOSED ERR_SOCKET_CLOSED ERR_HTTP2_STREAM_ERROR ERR_HTTP2_SESSION_ERROR
    ERR_HTTP2_GOAWAY_SESSION ERR_HTTP2_STREAM_CANCEL ERR_IPC_CHANNEL_CLOSED ERR_STREAM_PREMATURE_CLOSE
    HPE_INVALID_EOF_STATE HPE_CLOSED_CONNECTION ERR_NETWORK
  `
  ),
  ...each(diagnose("body_cut"), "UND_ERR_RES_CONTENT_LENGTH_MISMATCH Z_BUF_ERROR"),
  ...each(diagnose("response_too_large"), "UND_ERR_RES_EXCEEDED_MAX_SIZE UND_ERR_HEADERS_OVERFLOW HPE_HEADER_OVERFLOW"),
  ...each(
    diagnose("unexpected_content"),
    `
    HPE_INVALID_CONSTANT HPE_INVALID_VERSION HPE_INVALID_STATUS HPE_INVALID_HEADER_TOKEN
    HPE_INVALID_CHUNK_SIZE HPE_INVALID_CONTENT_LENGTH HPE_LF_EXPECTED HPE_CR_EXPECTED
    ERR_CONTENT_DECODING_FAILED
  `
  ),
  ...each(
    diagnose("tool_crashed"),
    `
    UND_ERR_DESTROYED ERR_STREAM_DESTROYED ERR_STREAM_WRITE_AFTER_END ERR_STREAM_ALREADY_FINISHED
    ERR_STREAM_PUSH_AFTER_EOF ERR_HTTP_HEADERS_SENT ERR_UNHANDLED_REJECTION ERR_UNHANDLED_ERROR
    ERR_ASSERTION ERR_INTERNAL_ASSERTION ERR_INVALID_STATE ERR_INVALID_THIS ERR_USE_AFTER_CLOSE
    ERR_SERVER_NOT_RUNNING ERR_BODY_ALREADY_USED
  `
  ),
  ...each(
    diagnose("limit_exceeded"),
    `
    ERR_STRING_TOO_LONG ERR_FS_FILE_TOO_LARGE ERR_BUFFER_TOO_LARGE ERR_CHILD_PROCESS_STDIO_MAXBUFFER
    Z_MEM_ERROR
  `
  ),
  ...each(diagnose("out_of_memory"), "ERR_WORKER_OUT_OF_MEMORY ERR_MEMORY_ALLOCATION_FAILED"),
  ...each(
    diagnose("missing_software"),
    `
    MODULE_NOT_FOUND ERR_MODULE_NOT_FOUND ERR_PACKAGE_PATH_NOT_EXPORTED ERR_PACKAGE_IMPORT_NOT_DEFINED
    ERR_REQUIRE_ESM ERR_REQUIRE_ASYNC_MODULE ERR_UNKNOWN_FILE_EXTENSION ERR_UNKNOWN_MODULE_FORMAT
    ERR_DLOPEN_FAILED ERR_UNSUPPORTED_DIR_IMPORT ERR_UNKNOWN_BUILTIN_MODULE ERR_NO_CRYPTO
  `
  ),
  ...each(
    diagnose("unsupported"),
    `
    UND_ERR_NOT_SUPPORTED ERR_METHOD_NOT_IMPLEMENTED ERR_FEATURE_UNAVAILABLE_ON_PLATFORM
    ERR_UNSUPPORTED_ESM_URL_SCHEME
  `
  ),
  ...each(diagnose("unauthorized"), "ERR_ACCESS_DENIED"),
  ...each(
    diagnose("misconfigured"),
    `
    CERT_HAS_EXPIRED CERT_NOT_YET_VALID CERT_REVOKED CERT_UNTRUSTED CERT_REJECTED CERT_SIGNATURE_FAILURE
    DEPTH_ZERO_SELF_SIGNED_CERT SELF_SIGNED_CERT_IN_CHAIN UNABLE_TO_VERIFY_LEAF_SIGNATURE
    UNABLE_TO_GET_ISSUER_CERT UNABLE_TO_GET_ISSUER_CERT_LOCALLY HOSTNAME_MISMATCH INVALID_CA INVALID_PURPOSE
    ERR_TLS_CERT_ALTNAME_INVALID ERR_TLS_CERT_ALTNAME_FORMAT UND_ERR_PRX_TLS EPROTO
  `
  ),
  ...each(diagnose("refused"), "ERR_FR_TOO_MANY_REDIRECTS ERR_TOO_MANY_REDIRECTS"),
  ...each(
    diagnose("invalid_request"),
    `
    ERR_MISSING_ARGS ERR_OUT_OF_RANGE ERR_UNKNOWN_ENCODING ERR_UNESCAPED_CHARACTERS ERR_AMBIGUOUS_ARGUMENT
    ERR_BUFFER_OUT_OF_BOUNDS ERR_FS_EISDIR ERR_FS_INVALID_SYMLINK_TYPE ERR_FS_CP_DIR_TO_NON_DIR
    ERR_FS_CP_EINVAL ERR_MISSING_OPTION ERR_INCOMPATIBLE_OPTION_PAIR ERR_UNKNOWN_SIGNAL
    ERR_METHOD_NOT_ALLOWED ERR_BAD_OPTION ERR_BAD_OPTION_VALUE UND_ERR_INVALID_ARG
    UND_ERR_REQ_CONTENT_LENGTH_MISMATCH ERR_SYNTAX ERR_CRYPTO_INVALID_DIGEST
    HPE_INVALID_METHOD HPE_INVALID_URL
  `
  ),
  ...each(diagnose("conflicting_value"), "ERR_FS_CP_EEXIST ERR_FS_CP_NON_DIR_TO_DIR EPUBLISHCONFLICT"),
  ...each(
    diagnose("wrong_state"),
    `
    ERR_SERVER_ALREADY_LISTEN ERR_SOCKET_ALREADY_BOUND ERR_DIR_CLOSED ERR_DIR_CONCURRENT_OPERATION
  `
  ),
  ...each(
    diagnose("tool_failed"),
    `
    ERR_ENCODING_INVALID_ENCODED_DATA ERR_ENCODING_NOT_SUPPORTED ERR_SYSTEM_ERROR
    ERR_CHILD_CLOSED_BEFORE_REPLY
  `
  ),
  ...each(diagnose("invalid_request"), "Z_DATA_ERROR Z_STREAM_ERROR"),
  ...each(badUrl, "ERR_INVALID_URL ERR_INVALID_PROTOCOL"),
  // axios reports this code for any 4xx response. The HTTP status is more specific.
  ...each(weak(diagnose("invalid_request")), "ERR_BAD_REQUEST"),
  ...each(weak(diagnose("unavailable")), "ERR_BAD_RESPONSE"),
  ERR_NOT_SUPPORT: diagnose("unsupported")
}

const packages: Table = {
  ...each(diagnose("unknown_reference"), "E404 ETARGET ENOVERSIONS ENOMATCHING ENOLOCAL"),
  ...each(diagnose("unauthorized"), "E401 E403 ENEEDAUTH EOTP"),
  ...each(diagnose("invalid_request"), "EUSAGE EJSONPARSE EINVALIDPACKAGENAME EINVALIDTAGNAME EINVALIDTYPE ECONFIG"),
  ...each(
    diagnose("refused"),
    `
    ERESOLVE EINTEGRITY EBADENGINE EBADPLATFORM EUNSUPPORTEDPROTOCOL EAUDITNOLOCK ELIFECYCLE EBADDEVENGINES
  `
  ),
  ...each(diagnose("conflicting_value"), "EPUBLISHCONFLICT E409"),
  ...each(diagnose("rate_limited"), "E429"),
  ...each(diagnose("unavailable"), "E500 E502 E503 E504")
}

const families: ReadonlyArray<readonly [family: RegExp, diagnosis: Diagnosis]> = [
  [/^ERR_(?:INVALID|PARSE_ARGS|HTTP_INVALID|HTTP2_INVALID|CRYPTO_INVALID|TLS_INVALID)_/, diagnose("invalid_request")],
  [/^ERR_(?:SSL|TLS)_/, diagnose("misconfigured")],
  [/^ERR_(?:CRYPTO|OSSL)_/, diagnose("invalid_request")],
  [/^(?:CERT|CRL)_/, diagnose("misconfigured")]
]

/** Returns the diagnosis of a code such as `ERR_INVALID_URL`, `UND_ERR_SOCKET` or `npm:E404`. */
export const ofNode = (code: string): Diagnosis | undefined => {
  if (code.startsWith("npm:")) return row(packages, code.slice(4))
  const known = row(codes, code)
  if (known !== undefined || !/^(?:ERR|CERT|CRL)_/.test(code)) return known
  return families.find(([family]) => family.test(code))?.[1]
}
