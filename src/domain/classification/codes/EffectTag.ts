/**
 * The diagnoses of Effect's own errors, by tag or by the tags of the error and its reason (`SqlError/UniqueViolation`).
 *
 * A row is weak if the reason wraps a more specific code, such as an errno, a SQLSTATE or an HTTP status.
 */
import { badUrl, each, noAccess, none, row, type Table, unknown, type Diagnosis, weak } from "./Diagnosis.ts"

const within = (outer: string, table: Table): Table =>
  Object.fromEntries(Object.entries(table).map(([tag, diagnosis]) => [`${outer}/${tag}`, diagnosis]))

const tags: Table = {
  ...within("PlatformError", {
    BadArgument: none("invalid_request"),
    AlreadyExists: weak(unknown("conflicting_value")),
    BadResource: weak(unknown("tool_failed")),
    Busy: weak(unknown("lock_conflict")),
    InvalidData: weak(unknown("invalid_result")),
    NotFound: weak(unknown("unknown_reference")),
    PermissionDenied: weak(noAccess),
    TimedOut: weak(unknown("timeout")),
    UnexpectedEof: weak(unknown("body_cut")),
    WouldBlock: weak(unknown("temporary_failure")),
    WriteZero: weak(unknown("tool_failed")),
    Unknown: weak(unknown("tool_failed"))
  }),
  ...within("HttpClientError", {
    TransportError: weak(unknown("connection_lost")),
    EncodeError: none("invalid_request"),
    InvalidUrlError: badUrl,
    StatusCodeError: weak(unknown("tool_failed")),
    DecodeError: weak(unknown("invalid_result_json")),
    EmptyBodyError: weak(unknown("unexpected_content"))
  }),
  ...within("SqlError", {
    ConnectionError: weak(unknown("connection_lost")),
    AuthenticationError: none("unauthorized"),
    AuthorizationError: none("unauthorized"),
    SqlSyntaxError: weak(none("invalid_request")),
    UniqueViolation: none("conflicting_value"),
    ConstraintError: weak(none("conflicting_value")),
    DeadlockError: none("lock_conflict"),
    SerializationError: none("lock_conflict"),
    LockTimeoutError: none("lock_conflict"),
    StatementTimeoutError: unknown("timeout"),
    UnknownError: weak(unknown("tool_failed"))
  }),
  ...within("AiError", {
    NetworkError: weak(unknown("connection_lost")),
    RateLimitError: none("rate_limited"),
    QuotaExhaustedError: none("quota_exceeded"),
    AuthenticationError: none("unauthorized"),
    ContentPolicyError: none("refused"),
    InvalidRequestError: weak(none("invalid_request")),
    InternalProviderError: weak(unknown("unavailable")),
    InvalidResponseError: unknown("invalid_result"),
    InvalidOutputError: unknown("invalid_result"),
    StructuredOutputError: unknown("invalid_result"),
    UnsupportedSchemaError: none("misconfigured"),
    ToolNotFoundError: none("unknown_tool"),
    ToolParameterValidationError: none("invalid_arguments"),
    InvalidToolResultError: unknown("invalid_result"),
    ToolResultEncodingError: unknown("invalid_result"),
    ToolConfigurationError: none("misconfigured"),
    ToolkitRequiredError: none("misconfigured"),
    InvalidUserInputError: none("invalid_request"),
    UnknownError: weak(unknown("tool_failed"))
  }),
  "NetworkError/EncodeError": none("invalid_request"),
  "NetworkError/InvalidUrlError": badUrl,
  ...within("McpClientError", {
    TransportError: weak(unknown("connection_lost")),
    ProtocolError: weak(unknown("invalid_result")),
    HttpError: weak(unknown("tool_failed")),
    UnsupportedError: none("unsupported"),
    ClosedError: unknown("connection_lost"),
    TimeoutError: unknown("timeout"),
    LimitError: unknown("response_too_large"),
    ConfigurationError: none("misconfigured"),
    ValidationError: unknown("invalid_result"),
    ToolError: weak(unknown("tool_failed"))
  }),
  ...within("SocketError", {
    SocketOpenError: weak(none("connection_failed")),
    SocketReadError: weak(unknown("connection_lost")),
    SocketWriteError: weak(unknown("connection_lost")),
    SocketCloseError: weak(unknown("connection_lost")),
    SocketUpgradeError: weak(none("connection_failed"))
  }),
  ...within("DnsError", {
    NotFound: { code: "unknown_reference", sideEffect: "none", otherwise: "connection_failed" },
    BadName: none("invalid_request"),
    ...each(none("connection_failed"), "Timeout Temporary Refused ServerFailure"),
    Unsupported: none("unsupported")
  }),
  ...within("CircuitBreakerError", {
    ...each(none("circuit_open"), "CircuitOpen CircuitHalfOpen"),
    CircuitBreakerStoreError: none("store_unavailable")
  }),
  ...within("RateLimiterError", {
    RateLimitExceeded: none("rate_limited"),
    RateLimitStoreError: none("store_unavailable")
  }),
  ...within("CryptoError", {
    ...each(none("invalid_request"), "InvalidArgument InvalidKey DecryptionFailed"),
    ...each(none("unsupported"), "Unsupported NotExtractable")
  }),
  CircuitOpen: none("circuit_open"),
  CircuitHalfOpen: none("circuit_open"),
  RateLimitExceeded: none("rate_limited"),
  TimeoutError: unknown("timeout"),
  ExceededCapacityError: none("busy"),
  IllegalArgumentError: none("invalid_request"),
  NoSuchElementError: weak(unknown("tool_failed")),
  AsyncFiberError: unknown("tool_crashed"),
  ConfigError: none("misconfigured"),
  SourceError: none("misconfigured"),
  SchemaError: unknown("invalid_result"),
  MigrationError: none("misconfigured"),
  UrlError: badUrl,
  CronParseError: none("invalid_request"),
  SemVerError: none("invalid_request"),
  NetAddressError: none("invalid_request"),
  ...each(
    unknown("invalid_result"),
    `
    CsvError XmlError NdjsonError SseError JsonArrayError EncodingError ZipError TarError MultipartError
  `
  ),
  ...each(
    none("invalid_request"),
    `
    UnrecognizedOption DuplicateOption MissingOption MissingArgument UnexpectedArgument InvalidValue
    UnknownSubcommand
  `
  ),
  // Cluster
  EntityNotAssignedToRunner: none("unavailable"),
  RunnerNotRegistered: none("unavailable"),
  RunnerUnavailable: unknown("unavailable"),
  MailboxFull: none("busy"),
  AlreadyProcessingMessage: none("in_progress"),
  MalformedMessage: none("invalid_request")
}

/** Returns the diagnosis of a tag or of `Outer/Inner`. */
export const ofTag = (tag: string): Diagnosis | undefined => row(tags, tag)
