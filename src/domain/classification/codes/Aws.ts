/**
 * Exception names of AWS services, which the SDKs report as `name`, `code` or `__type`, with or without `Exception`.
 * The transient and throttling names are those that botocore and the SDKs retry.
 */
import { diagnose, type Diagnosis, each, row, type Table, weak } from "./Diagnosis.ts"

const names: Table = {
  ...each(
    diagnose("rate_limited"),
    `
    Throttling Throttled ThrottledException RequestThrottled TooManyRequests ProvisionedThroughputExceeded
    RequestLimitExceeded BandwidthLimitExceeded SlowDown PriorRequestNotComplete EC2Throttled
    TransactionInProgress
  `
  ),
  ...each(diagnose("timeout"), "RequestTimeout ModelTimeout RequestExpired"),
  ...each(
    diagnose("unavailable"),
    `
    ServiceUnavailable InternalFailure InternalServer InternalServerError InternalError ModelNotReady
    ModelStreamError ServerException
  `
  ),
  ...each(weak(diagnose("unavailable")), "ServiceException ModelError"),
  ...each(
    diagnose("unauthorized"),
    `
    AccessDenied UnauthorizedOperation NotAuthorized UnrecognizedClient InvalidClientTokenId
    InvalidAccessKeyId SignatureDoesNotMatch ExpiredToken ExpiredTokenException MissingAuthenticationToken
    IncompleteSignature AuthFailure OptInRequired TokenRefreshRequired InvalidSignature UserNotConfirmed
    PasswordResetRequired AccountProblem AllAccessDisabled KMSAccessDenied InvalidGrant
    RequestTimeTooSkewed
  `
  ),
  ...each(
    diagnose("unknown_reference"),
    `
    NoSuchKey NoSuchBucket NoSuchUpload NoSuchEntity NoSuchVersion ResourceNotFound NotFound
    FunctionNotFound TableNotFound QueueDoesNotExist AWS.SimpleQueueService.NonExistentQueue StackNotFound
    DBInstanceNotFound ParameterNotFound UserNotFound LoadBalancerNotFound InvalidInstanceID.NotFound
    RepositoryNotFound ImageNotFound ClusterNotFound NoSuchHostedZone NoSuchDistribution
  `
  ),
  ...each(
    diagnose("conflicting_value"),
    `
    ConditionalCheckFailed BucketAlreadyExists BucketAlreadyOwnedByYou BucketNotEmpty EntityAlreadyExists
    ResourceAlreadyExists AlreadyExists ResourceInUse UsernameExists DuplicateItem
    InvalidParameterCombination Conflict ConflictException ResourceConflict PreconditionFailed
    IdempotentParameterMismatch
  `
  ),
  ...each(
    diagnose("lock_conflict"),
    `
    TransactionConflict OperationAborted ConcurrentModification TransactionCanceled ReplicatedWriteConflict
  `
  ),
  ...each(
    diagnose("quota_exceeded"),
    `
    ServiceQuotaExceeded QuotaExceeded InstanceLimitExceeded VcpuLimitExceeded InsufficientInstanceCapacity
  `
  ),
  ...each(
    diagnose("limit_exceeded"),
    "LimitExceeded TooManyBuckets ItemCollectionSizeLimitExceeded CodeStorageExceeded"
  ),
  ...each(
    diagnose("arguments_too_large"),
    `
    EntityTooLarge RequestTooLarge RequestEntityTooLarge MaxMessageLengthExceeded BatchRequestTooLong
    InvalidParameterValueTooLong
  `
  ),
  ...each(
    weak(diagnose("invalid_request")),
    `
    Validation ValidationError InvalidParameterValue InvalidParameter InvalidRequest InvalidInput
    InvalidArgument MalformedPolicyDocument MissingParameter MissingRequiredParameter Serialization
    MalformedXML InvalidBucketName InvalidAction UnknownOperation InvalidQueryParameter ParamValidationError
    BadRequest InvalidParameterType InvalidDigest BadDigest IllegalLocationConstraint InvalidRange
    InvalidPart EntityTooSmall
  `
  ),
  ...each(
    diagnose("wrong_state"),
    `
    InvalidObjectState IncorrectState IncorrectInstanceState InvalidStateTransition InvalidState
    ResourceNotReady DependencyViolation DeleteConflict
  `
  ),
  ...each(
    diagnose("misconfigured"),
    `
    CredentialsProviderError NoCredentialsError PartialCredentialsError NoRegionError NoCredentialProviders
    ProfileNotFound UnknownEndpointError TokenProviderError ConfigError
    InvalidSignatureException PermanentRedirect AuthorizationHeaderMalformed
  `
  ),
  ...each(diagnose("connection_failed"), "EndpointConnectionError ConnectTimeoutError"),
  ...each(diagnose("connection_lost"), "ConnectionClosedError"),
  ...each(diagnose("unsupported"), "UnsupportedOperation NotImplemented MethodNotAllowed UnsupportedUserEdition")
}

/** Returns the diagnosis of `ThrottlingException` or `NoSuchKey`. The code has no namespace, such as `com.amazonaws#`. */
export const ofAws = (code: string): Diagnosis | undefined =>
  row(names, code) ?? (code.endsWith("Exception") ? row(names, code.slice(0, -9)) : undefined)
