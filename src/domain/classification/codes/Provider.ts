/**
 * Maps error types and codes to diagnoses: those of model providers (OpenAI, Anthropic, Google, Azure, Mistral, Groq,
 * OpenRouter, DashScope …), of their gateways (One-API and its forks), and of common web APIs.
 *
 * Codes are compared in lower snake_case: `RateLimitExceeded`, `rate_limit_exceeded` and `RATE_LIMIT_EXCEEDED` share a
 * row.
 */
import { diagnose, type Diagnosis, each, row, type Table, weak } from "./Diagnosis.ts"

const codes: Table = {
  // Limits of a model
  ...each(
    diagnose("context_limit"),
    `
    context_length_exceeded context_window_exceeded context_window_exceeded_error
    max_context_length_exceeded prompt_too_long input_too_long tokens_limit_reached
    model_max_prompt_tokens_exceeded max_tokens_exceeded token_limit_exceeded context_limit_exceeded
  `
  ),
  ...each(
    diagnose("quota_exceeded"),
    `
    insufficient_quota insufficient_user_quota insufficient_credits insufficient_balance
    pre_consume_token_quota_failed billing_error billing_hard_limit_reached billing_not_active
    billing_disabled quota_exceeded quota_exhausted exceeded_quota exceeded_current_quota_error
    daily_limit_exceeded dailylimitexceeded monthly_limit_exceeded credit_limit_exceeded out_of_credits
    usage_limit_reached usage_limit_exceeded spend_limit_exceeded payment_required arrearage
    throttling.allocation_quota free_tier_only account_overdue balance_exhausted storage_quota_exceeded
    organization_quota_exceeded trial_expired free_quota_exhausted
  `
  ),
  ...each(
    diagnose("rate_limited"),
    `
    rate_limit_exceeded rate_limit_error rate_limit_reached rate_limit rate_limited ratelimited
    ratelimit_exceeded user_rate_limit_exceeded too_many_requests too_many_requests_error throttling
    throttling.rate_quota throttling.user request_throttled requests_per_minute requests_limit_reached
    tokens_per_minute rate_limit_reached_error slow_down api_rate_limit over_query_limit enhance_your_calm
    request_limit_exceeded limit_requests rate_limiting
  `
  ),
  // Transient faults
  ...each(
    diagnose("unavailable"),
    `
    overloaded_error overloaded server_overloaded engine_overloaded engine_overloaded_error model_overloaded
    service_unavailable service_unavailable_error temporarily_unavailable backend_error server_busy
    upstream_unavailable model_loading model_not_ready service_timeout bad_gateway no_capacity
    capacity_exceeded service_tier_capacity_exceeded model_unavailable do_request_failed get_channel_failed
    channel:no_available_key system_unavailable provider_error
  `
  ),
  // Generic server failures
  ...each(
    weak(diagnose("unavailable")),
    `
    server_error api_error internal_server_error internal_error system_error internal_error.algo
    internal_failure unknown_error upstream_error
  `
  ),
  ...each(
    diagnose("connection_lost"),
    `
    read_response_body_failed close_response_body_failed copy_response_body_failed stream_error bad_response
    empty_response connection_error api_connection_error network_error fetch_error
  `
  ),
  ...each(
    diagnose("timeout"),
    `
    timeout timeout_error request_timeout request_timed_out gateway_timeout request_time_out
    internal_error.timeout deadline_exceeded api_timeout_error timed_out model_timeout_error
  `
  ),
  ...each(diagnose("lock_conflict"), "lock_timeout resource_locked concurrent_modification write_conflict"),
  // Authentication and authorisation
  ...each(
    diagnose("unauthorized"),
    `
    authentication_error invalid_api_key api_key_invalid invalid_apikey key_invalid invalid_token
    invalid_access_token token_expired expired_token expired_api_key token_revoked invalid_auth not_authed
    account_inactive account_deactivated missing_scope invalid_scope insufficient_scope
    insufficient_permissions insufficient_permission no_permission permission_error access_denied access_denied_error
    access_terminated_error unauthorized
    unauthorized_error unauthenticated authentication_required auth_error authorization_error forbidden
    access_not_configured service_disabled consumer_invalid restricted_resource model.access_denied
    model_access_denied unsupported_country_region_territory region_not_supported ip_not_allowed
    login_required invalid_credentials invalid_grant invalid_client unauthorized_client user_not_authorized
    bad_credentials not_allowed not_in_channel cant_invite restricted_action ekm_access_denied
    organization_restricted iam_permission_denied subscription_required not_subscribed account_suspended
    request_denied invalid_request_credentials
  `
  ),
  ...each(diagnose("permission_denied"), "permission_denied permission_denied_error"),
  // Missing things
  ...each(
    diagnose("unknown_reference"),
    `
    model_not_found not_found not_found_error object_not_found resource_not_found resource_missing
    deployment_not_found model_decommissioned invalid_model unknown_model unsupported_model model_not_exist
    invalid_model_name previous_response_not_found entity_not_found file_not_found no_such_file
    does_not_exist unknown_url zero_results
  `
  ),
  // Invalid requests
  ...each(
    diagnose("invalid_request"),
    `
    invalid_value unsupported_value missing_required_parameter unknown_parameter unsupported_parameter
    invalid_type invalid_json invalid_json_schema invalid_function_parameters invalid_image
    invalid_image_format invalid_image_url invalid_base64 invalid_base64_image invalid_encrypted_content
    invalid_file invalid_schema invalid_parameter invalid_parameters invalid_parameter_error
    invalid_argument_value missing_parameter missing_argument invalid_format invalid_string invalid_literal
    invalid_union invalid_enum_value invalid_date too_small too_big unrecognized_keys not_multiple_of
    invalid_key invalid_element unprocessable_entity unprocessable_entity_error validation_error
    validation_failed request_validation_error parse_error json_parse_error malformed_request invalid_body
    invalid_field bad_parameter empty_array empty_string tool_use_failed json_validate_failed
    empty_image_file image_parse_error image_too_small unsupported_image_media_type image_file_not_found
    invalid_arguments invalid_params bad_user_input graphql_validation_failed graphql_parse_failed
    required_field_missing missing_field convert_request_failed unmarshal_request_body_failed
    bad_request_body value_error union_error string_type int_parsing float_parsing bool_parsing list_type
    dict_type missing extra_forbidden literal_error enum greater_than less_than greater_than_equal
    less_than_equal string_too_short string_too_long string_pattern_mismatch json_invalid url_parsing
    uuid_parsing datetime_parsing date_parsing model_type assertion_error
  `
  ),
  ...each(
    weak(diagnose("invalid_request")),
    `
    invalid_request_error invalid_request invalid_input bad_request bad_request_error badrequest
    invalid_argument invalidparameter internal_error.algo.invalid_parameter invalid invalid_request_format
    request_failed
  `
  ),
  ...each(
    diagnose("arguments_too_large"),
    `
    request_too_large request_too_large_error image_too_large request_entity_too_large payload_too_large
    max_size_exceeded file_too_large
  `
  ),
  ...each(
    diagnose("conflicting_value"),
    `
    already_exists duplicate duplicate_entry unique_violation conflict_exists name_taken already_taken
    idempotency_error idempotency_key_in_use idempotency_conflict
  `
  ),
  ...each(weak(diagnose("conflicting_value")), "conflict conflict_error"),
  // Policy, unsupported features, configuration and state
  ...each(
    diagnose("refused"),
    `
    content_policy_violation content_filter content_filtered responsible_ai_policy_violation
    moderation_blocked data_inspection_failed sensitive_words_detected prompt_blocked blocked safety
    content_policy image_generation_user_error card_declined card_error expired_card do_not_honor
    policy_violation recitation prohibited_content
  `
  ),
  ...each(
    diagnose("unsupported"),
    `
    unsupported unsupported_operation operation_not_supported not_supported not_implemented
    method_not_allowed unsupported_api_version feature_not_available model_feature_not_supported
    unknown_method model_terms_required
  `
  ),
  ...each(
    diagnose("misconfigured"),
    `
    missing_api_key api_key_missing no_api_key configuration_error model_price_error invalid_configuration
    channel_not_configured
  `
  ),
  ...each(
    diagnose("wrong_state"),
    `
    invalid_state wrong_state is_archived already_reacted already_in_channel user_disabled account_locked
    expired is_closed already_processed already_cancelled already_canceled charge_already_refunded
    charge_already_captured order_closed payment_intent_unexpected_state invalid_status
  `
  ),
  ...each(
    diagnose("invalid_result"),
    "bad_response_body unmarshal_response_body_failed invalid_response invalid_response_error"
  )
}

/** Converts `RateLimitExceeded` and `RATE-LIMIT-EXCEEDED` to `rate_limit_exceeded`. Keeps dots and colons. */
export const snake = (code: string): string =>
  code
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replaceAll(/([A-Z])([A-Z][a-z])/g, "$1_$2")
    .replaceAll(/[\s-]+/g, "_")
    .toLowerCase()

/**
 * Returns the diagnosis of a provider's error type or code. A pattern covers OpenAI's bounds
 * (`integer_above_max_value`).
 */
export const ofProvider = (code: string): Diagnosis | undefined => {
  const name = snake(code)
  const known = row(codes, name)
  if (known !== undefined) return known
  if (/^[a-z]{3,20}_(?:above|below)_(?:max|min)_(?:value|length|items|size)$/.test(name))
    return diagnose("invalid_request")
  return undefined
}
