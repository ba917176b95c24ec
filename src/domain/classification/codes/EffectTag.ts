/**
 * The diagnoses of Effect's own errors, by tag or by the tags of the error and its reason (`SqlError/UniqueViolation`).
 *
 * A row is weak if the reason wraps a more specific code, such as an errno, a SQLSTATE or an HTTP status.
 */
import { badUrl, diagnose, type Diagnosis, each, noAccess, row, type Table, weak } from "./Diagnosis.ts"

const within = (outer: string, table: Table): Table =>
  Object.fromEntries(Object.entries(table).map(([tag, diagnosis]) => [`${outer}/${tag}`, diagnosis]))

const tags: Table = {
  ...within("PlatformError", {
    BadArgument: diagnose("invalid_request"),
    AlreadyExists: weak(diagnose("conflicting_value")),
    BadResource: weak(diagnose("tool_failed")),
    Busy: weak(diagnose("lock_conflict")),
    InvalidData: weak(diagnose("invalid_result")),
    NotFound: weak(diagnose("unknown_reference")),
    PermissionDenied: weak(noAccess),
    TimedOut: weak(diagnose("timeout")),
    UnexpectedEof: weak(diagnose("body_cut")),
    WouldBlock: weak(diagnose("temporary_failure")),
    WriteZero: weak(diagnose("tool_failed")),
    Unknown: weak(diagnose("tool_failed"))
  }),
  ...within("HttpClientError", {
    TransportError: weak(diagnose("connection_lost")),
    EncodeError: diagnose("invalid_request"),
    InvalidUrlError: badUrl,
    StatusCodeError: weak(diagnose("tool_failed")),
    DecodeError: weak(diagnose("invalid_result_json")),
    EmptyBodyError: weak(diagnose("unexpected_content"))
  }),
  ...within("SqlError", {
    ConnectionError: weak(diagnose("connection_lost")),
    AuthenticationError: diagnose("unauthorized"),
    AuthorizationError: diagnose("unauthorized"),
    SqlSyntaxError: weak(diagnose("invalid_request")),
    UniqueViolation: diagnose("conflicting_value"),
    ConstraintError: weak(diagnose("conflicting_value")),
    DeadlockError: diagnose("lock_conflict"),
    SerializationError: diagnose("lock_conflict"),
    LockTimeoutError: diagnose("lock_conflict"),
    StatementTimeoutError: diagnose("timeout"),
    UnknownError: weak(diagnose("tool_failed"))
  }),
  ...within("AiError", {
    NetworkError: weak(diagnose("connection_lost")),
    RateLimitError: diagnose("rate_limited"),
    QuotaExhaustedError: diagnose("quota_exceeded"),
    AuthenticationError: diagnose("unauthorized"),
    ContentPolicyError: diagnose("refused"),
    InvalidRequestError: weak(diagnose("invalid_request")),
    InternalProviderError: weak(diagnose("unavailable")),
    InvalidResponseError: diagnose("invalid_result"),
    InvalidOutputError: diagnose("invalid_result"),
    StructuredOutputError: diagnose("invalid_result"),
    UnsupportedSchemaError: diagnose("misconfigured"),
    ToolNotFoundError: diagnose("unknown_tool"),
    ToolParameterValidationError: diagnose("invalid_arguments"),
    InvalidToolResultError: diagnose("invalid_result"),
    ToolResultEncodingError: diagnose("invalid_result"),
    ToolConfigurationError: diagnose("misconfigured"),
    ToolkitRequiredError: diagnose("misconfigured"),
    InvalidUserInputError: diagnose("invalid_request"),
    UnknownError: weak(diagnose("tool_failed"))
  }),
  "NetworkError/EncodeError": diagnose("invalid_request"),
  "NetworkError/InvalidUrlError": badUrl,
  ...within("McpClientError", {
    TransportError: weak(diagnose("connection_lost")),
    ProtocolError: weak(diagnose("invalid_result")),
    HttpError: weak(diagnose("tool_failed")),
    UnsupportedError: diagnose("unsupported"),
    ClosedError: diagnose("connection_lost"),
    TimeoutError: diagnose("timeout"),
    LimitError: diagnose("response_too_large"),
    ConfigurationError: diagnose("misconfigured"),
    ValidationError: diagnose("invalid_result"),
    ToolError: weak(diagnose("tool_failed"))
  }),
  ...within("SocketError", {
    SocketOpenError: weak(diagnose("connection_failed")),
    SocketReadError: weak(diagnose("connection_lost")),
    SocketWriteError: weak(diagnose("connection_lost")),
    SocketCloseError: weak(diagnose("connection_lost")),
    SocketUpgradeError: weak(diagnose("connection_failed"))
  }),
  ...within("DnsError", {
    NotFound: { code: "unknown_reference", otherwise: "connection_failed" },
    BadName: diagnose("invalid_request"),
    ...each(diagnose("connection_failed"), "Timeout Temporary Refused ServerFailure"),
    Unsupported: diagnose("unsupported")
  }),
  ...within("CircuitBreakerError", {
    ...each(diagnose("circuit_open"), "CircuitOpen CircuitHalfOpen"),
    CircuitBreakerStoreError: diagnose("store_unavailable")
  }),
  ...within("RateLimiterError", {
    RateLimitExceeded: diagnose("rate_limited"),
    RateLimitStoreError: diagnose("store_unavailable")
  }),
  ...within("CryptoError", {
    ...each(diagnose("invalid_request"), "InvalidArgument InvalidKey DecryptionFailed"),
    ...each(diagnose("unsupported"), "Unsupported NotExtractable")
  }),
  CircuitOpen: diagnose("circuit_open"),
  CircuitHalfOpen: diagnose("circuit_open"),
  RateLimitExceeded: diagnose("rate_limited"),
  TimeoutError: diagnose("timeout"),
  ExceededCapacityError: diagnose("busy"),
  IllegalArgumentError: diagnose("invalid_request"),
  NoSuchElementError: weak(diagnose("tool_failed")),
  AsyncFiberError: diagnose("tool_crashed"),
  ConfigError: diagnose("misconfigured"),
  SourceError: diagnose("misconfigured"),
  SchemaError: diagnose("invalid_result"),
  MigrationError: diagnose("misconfigured"),
  UrlError: badUrl,
  CronParseError: diagnose("invalid_request"),
  SemVerError: diagnose("invalid_request"),
  NetAddressError: diagnose("invalid_request"),
  ...each(
    diagnose("invalid_result"),
    `
    CsvError XmlError NdjsonError SseError JsonArrayError EncodingError ZipError TarError MultipartError
  `
  ),
  ...each(
    diagnose("invalid_request"),
    `
    UnrecognizedOption DuplicateOption MissingOption MissingArgument UnexpectedArgument InvalidValue
    UnknownSubcommand
  `
  ),
  // Cluster
  EntityNotAssignedToRunner: diagnose("unavailable"),
  RunnerNotRegistered: diagnose("unavailable"),
  RunnerUnavailable: diagnose("unavailable"),
  MailboxFull: diagnose("busy"),
  AlreadyProcessingMessage: diagnose("in_progress"),
  MalformedMessage: diagnose("invalid_request")
}

/** Returns the diagnosis of a tag or of `Outer/Inner`. */
export const ofTag = (tag: string): Diagnosis | undefined => row(tags, tag)
