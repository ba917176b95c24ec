/**
 * Exception classes of Python, JavaScript, Java, .NET, Ruby and their HTTP, SQL and data libraries. Names have no
 * package.
 *
 * A row is weak if the class covers many causes (`ValueError`, `TypeError`, `RuntimeError`); the message is then
 * matched first.
 */
import { diagnose, type Diagnosis, each, row, type Table, unknownHost, weak } from "./Diagnosis.ts"

const names: Table = {
  // Wrong arguments
  ...each(
    weak(diagnose("invalid_request")),
    `
    ValueError RangeError SyntaxError IndentationError TabError LookupError OverflowError ArithmeticError
    IllegalArgumentException ArgumentException ArgumentError ArgumentNullException
    ArgumentOutOfRangeException InvalidArgumentException FormatException ConversionException DataError
    ProgrammingError IntegrityError OperationalError DatabaseError SqliteError BadRequestError BadRequest BadRequestException UnprocessableEntityError
  `
  ),
  ...each(
    diagnose("invalid_request"),
    `
    URIError InvalidURL InvalidURLError MissingSchema InvalidSchema UnsupportedProtocol LocationParseError
    InvalidHeader NumberFormatException DateTimeParseException DateTimeException PatternSyntaxException
    MalformedURLException URISyntaxException InvalidOperation StatisticsError AddressValueError
    NetmaskValueError IllegalMonthError IllegalWeekdayError InvalidCharacterError PatternError BadZipFile
    BadZipfile BadGzipFile  ReadError HeaderError TOMLDecodeError ScannerError ParserError
    ComposerError YAMLError YAMLException ParseError ExpatError XMLSyntaxError XPathEvalError ParsingError
    MissingSectionHeaderError DuplicateOptionError UnidentifiedImageError PdfReadError PDFSyntaxError
    EmptyDataError SameFileError UsageError BadParameter NoSuchOption BadOptionUsage MissingParameter
    UndefinedVariableError MethodArgumentNotValidException HttpMessageNotReadableException
    MissingServletRequestParameterException MethodArgumentTypeMismatchException ZodError ValidationError
    ValidationException ConstraintViolationException UnknownFormatConversionException InvalidFormatException
    CastError StrictModeError IllegalFormatException LZMAError UndefinedError TemplateSyntaxError
    SQLSyntaxErrorException SQLDataException BadSqlGrammarException
  `
  ),
  ...each(
    diagnose("unknown_reference"),
    `
    FileNotFoundError FileNotFoundException NoSuchFileException DirectoryNotFoundException
    ProcessLookupError ZoneInfoNotFoundError UnknownTimeZoneError EntityNotFoundException
    ObjectNotFoundException DoesNotExist NoResultFound RecordNotFound ObjectDoesNotExist NotFoundError
    NotFoundException NotFound NoSuchTableError NoSuchColumnError KeyNotFoundException NoSuchBucket
    NoSuchKey NoSuchElementException NoSuchWindowException ResourceNotFoundError
  `
  ),
  ...each(diagnose("invalid_request"), "NotADirectoryError IsADirectoryError NotDirectoryException"),
  ...each(
    diagnose("conflicting_value"),
    `
    FileExistsError FileAlreadyExistsException DirectoryNotEmptyException DuplicateKeyException
    SQLIntegrityConstraintViolationException DataIntegrityViolationException MultipleResultsFound
    RecordNotUnique DuplicateKeyError
  `
  ),
  // Authentication and authorisation
  ...each(
    diagnose("unauthorized"),
    `
    PermissionError AccessDeniedException UnauthorizedAccessException SecurityException
    AuthenticationException SMTPAuthenticationError SMTPSenderRefused AuthenticationFailed NotAuthenticated
    AuthorizationException ForbiddenException UnauthorizedException InvalidTokenError ExpiredSignatureError
    TokenExpiredError JsonWebTokenError PermissionDenied NotAllowedError
  `
  ),
  // Missing software and configuration
  ...each(
    diagnose("missing_software"),
    `
    ModuleNotFoundError ImportError ClassNotFoundException NoClassDefFoundError UnsupportedClassVersionError
    UnsatisfiedLinkError LoadError DllNotFoundException DistributionNotFound PackageNotFoundError
    ExecutableNotFound TesseractNotFoundError ExecutableNotFoundException TypeLoadException
    BadImageFormatException
  `
  ),
  ...each(
    diagnose("misconfigured"),
    `
    SSLError SSLCertVerificationError CertificateError SSLHandshakeException CertificateException
    SSLPeerUnverifiedException ImproperlyConfigured ConfigurationError ConfigurationException
    BeanCreationException NoCredentialsError
  `
  ),
  ...each(
    diagnose("unsupported"),
    `
    NotImplementedError UnsupportedOperation UnsupportedOperationException NotSupportedException
    NotImplementedException NotSupportedError PlatformNotSupportedException UnsupportedEncodingException
  `
  ),
  ...each(
    weak(diagnose("wrong_state")),
    "IllegalStateException InvalidOperationException InvalidStateError InvalidStateException"
  ),
  // A key that the caller asked for, or a bug in the tool
  KeyError: weak({ code: "unknown_reference", otherwise: "tool_crashed" }),
  // Bugs in the tool
  ...each(
    weak(diagnose("tool_crashed")),
    `
    TypeError ReferenceError AttributeError NameError UnboundLocalError IndexError AssertionError
    RuntimeError StopIteration SystemError SystemExit ZeroDivisionError EvalError InternalError
    DataCloneError NullPointerException NullReferenceException ArrayIndexOutOfBoundsException
    StringIndexOutOfBoundsException IndexOutOfBoundsException IndexOutOfRangeException ClassCastException
    InvalidCastException ConcurrentModificationException DivideByZeroException ArithmeticException
    NoMethodError NegativeArraySizeException CalledProcessError UnicodeDecodeError UnicodeEncodeError
    UnicodeError CannotSendRequest ResponseNotReady EOFError RuntimeException UnpicklingError
  `
  ),
  // Limits
  ...each(
    diagnose("out_of_memory"),
    `
    MemoryError OutOfMemoryError OutOfMemoryException NoMemoryError ArrayMemoryError _ArrayMemoryError
    InsufficientMemoryException OutOfMemory
  `
  ),
  ...each(diagnose("limit_exceeded"), "RecursionError StackOverflowError StackOverflowException SystemStackError"),
  ...each(diagnose("quota_exceeded"), "QuotaExceededError QuotaExceededException"),
  // Transient faults
  ...each(
    diagnose("timeout"),
    `
    TimeoutError Timeout TimeoutException TimeoutExpired ReadTimeout ReadTimeoutError WriteTimeout
    SocketTimeoutException APITimeoutError APITimeout APIConnectionTimeoutError ServerTimeoutError
    SocketTimeout TaskCanceledException OperationCanceledException CancelledError CanceledError AbortError
    SQLTimeoutException QueryTimeoutException StatementTimeout QueryCanceled QueryCanceledError
    CommandTimeout RequestTimeout DeadlineExceeded HeadersTimeoutError BodyTimeoutError RequestAbortedError
    LockAcquireTimeout
  `
  ),
  ...each(
    diagnose("timeout"),
    `
    ConnectTimeout ConnectTimeoutError ConnectionTimeoutError ConnectTimeoutException PoolTimeout
    OpenTimeout ConnectionTimeout HttpConnectTimeoutException
  `
  ),
  ...each(
    diagnose("connection_failed"),
    `
    ConnectionRefusedError ConnectException NewConnectionError NoRouteToHostException ClientConnectorError
    ProxyError PortUnreachableException ConnectError NoBrokersAvailable NoHostAvailable
    MongoServerSelectionError ServerSelectionTimeoutError HttpHostConnectException 
    SMTPConnectError ResourceAccessException
  `
  ),
  ...each(unknownHost, "UnknownHostException NameResolutionError ClientConnectorDNSError gaierror"),
  ...each(
    weak(diagnose("connection_lost")),
    `
    ConnectionError APIConnectionError RemoteProtocolError ProtocolError NetworkError MongoNetworkError
    SocketException SocketError HttpRequestException RequestException ClientError TransportError URLError
    MaxRetryError InterfaceError
  `
  ),
  ...each(
    diagnose("connection_lost"),
    `
    ConnectionResetError ConnectionAbortedError BrokenPipeError RemoteDisconnected ServerDisconnectedError
    ClientOSError WriteError SMTPServerDisconnected ConnectionClosed ConnectionClosedError
    ConnectionClosedOK  ClientConnectionResetError NoHttpResponseException
    AutoReconnect SQLTransientConnectionException SQLRecoverableException CommunicationsException
    ConnectionDoesNotExistError AdminShutdown SocketClosedException
  `
  ),
  ...each(
    diagnose("body_cut"),
    `
    IncompleteRead IncompleteReadError ChunkedEncodingError ClientPayloadError EOFException
    PrematureCloseError EndOfStreamException ConnectionClosedException ContentLengthMismatch
  `
  ),
  ...each(
    diagnose("lock_conflict"),
    `
    DeadlockDetected DeadlockLoserDataAccessException SerializationFailure LockNotAvailable LockTimeout
    CannotAcquireLockException OptimisticLockException OptimisticLockError StaleObjectStateException
    ObjectOptimisticLockingFailureException StaleDataError LockError TransactionRollbackError
    PessimisticLockException BlockingIOError DbUpdateConcurrencyException
  `
  ),
  ...each(
    diagnose("rate_limited"),
    `
    RateLimitError RateLimitException RateLimitExceeded TooManyRequestsException RatelimitException
    RequestRateTooLargeException FloodWaitError
  `
  ),
  ...each(diagnose("busy"), "RejectedExecutionException QueueFull Full"),
  ...each(
    weak(diagnose("unavailable")),
    `
    InternalServerError APIError ServiceUnavailableError ServiceUnavailable InternalServerErrorException
    HttpServerErrorException OverloadedError BrokenProcessPool
  `
  ),
  // Permanent refusals
  ...each(diagnose("refused"), "TooManyRedirects"),
  // Invalid results
  ...each(
    diagnose("invalid_result_json"),
    `
    JSONDecodeError JsonParseException JsonSyntaxException JsonException JsonMappingException
    MalformedJsonException
  `
  ),
  // undici, for an upstream that does not speak HTTP
  HTTPParserError: diagnose("unexpected_content"),
  ...each(
    diagnose("invalid_result"),
    `
    ContentTypeError DecodingError BadStatusLine ResponseValidationError APIResponseValidationError
    UnrecognizedPropertyException ContentDecodingError
  `
  ),
  // psycopg and asyncpg
  ...each(
    diagnose("unknown_reference"),
    `
    UndefinedTable UndefinedColumn UndefinedFunction UndefinedObject UndefinedParameter InvalidCatalogName
    InvalidSchemaName UndefinedTableError UndefinedColumnError
  `
  ),
  ...each(
    diagnose("conflicting_value"),
    `
    UniqueViolation UniqueViolationError ForeignKeyViolation ForeignKeyViolationError ExclusionViolation
    DuplicateTable DuplicateColumn DuplicateObject DuplicateDatabase DependentObjectsStillExist
  `
  ),
  ...each(
    diagnose("invalid_request"),
    `
    NotNullViolation NotNullViolationError CheckViolation InvalidTextRepresentation NumericValueOutOfRange
    DatetimeFieldOverflow InvalidDatetimeFormat StringDataRightTruncation DivisionByZero AmbiguousColumn
    GroupingError DatatypeMismatch CannotCoerce PostgresSyntaxError
  `
  ),
  ...each(
    diagnose("unauthorized"),
    `
    InsufficientPrivilege InsufficientPrivilegeError InvalidPassword InvalidPasswordError
    InvalidAuthorizationSpecification
  `
  ),
  ...each(
    diagnose("wrong_state"),
    `
    InFailedSqlTransaction ReadOnlySqlTransaction ObjectInUse ActiveSqlTransaction NoActiveSqlTransaction
  `
  ),
  ...each(diagnose("too_many_open"), "TooManyConnections TooManyConnectionsError"),
  ...each(diagnose("disk_full"), "DiskFull DiskFullError")
}

/** Returns the diagnosis of a class name such as `ConnectTimeout` or `java.net.ConnectException`. */
export const ofName = (name: string): Diagnosis | undefined => row(names, name.slice(name.lastIndexOf(".") + 1))
