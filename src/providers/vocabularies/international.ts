/** What providers outside China call their failures, as far as the general rules would miss it. */
import type { VocabularyRow } from './row.ts';

export const INTERNATIONAL: readonly VocabularyRow[] = [
  {
    id: 'openai',
    codes: {
      quota_exhausted: [
        'insufficient_quota',
        'billing_not_active',
        'billing_hard_limit_reached',
        'credit_balance_exhausted',
      ],
      overloaded: ['server_is_overloaded'],
      rate_limit: ['slow_down'],
      auth: ['account_deactivated', 'invalid_organization', 'mismatched_organization'],
      content_policy: [
        'content_policy_violation',
        'moderation_blocked',
        'invalid_prompt',
        'cyber_policy',
        'bio_policy',
      ],
      permission: ['unsupported_country_region_territory'],
      invalid_request: ['string_above_max_length', 'invalid_value', 'unknown_parameter', 'missing_required_parameter'],
    },
    requestIdHeaders: ['x-request-id'],
  },
  {
    id: 'azure-openai',
    codes: {
      content_policy: ['ResponsibleAIPolicyViolation', 'content_filter'],
      model_not_found: ['DeploymentNotFound', 'ServiceModelDeprecating', 'InvalidDeployment'],
      overloaded: ['NoCapacity'],
      unsupported: ['OperationNotSupported'],
    },
    codeHeaders: ['x-ms-error-code'],
    requestIdHeaders: ['apim-request-id', 'x-ms-request-id', 'x-request-id'],
  },
  {
    id: 'anthropic',
    codes: {
      overloaded: ['overloaded_error'],
      quota_exhausted: ['billing_error', 'enforced_spend_limit_reached'],
      payload_too_large: ['request_too_large'],
      timeout: ['timeout_error'],
    },
    requestIdHeaders: ['request-id'],
  },
  {
    id: 'gemini',
    codes: {
      overloaded: ['MODEL_CAPACITY_EXHAUSTED'],
      quota_exhausted: ['INSUFFICIENT_G1_CREDITS_BALANCE', 'QUOTA_EXHAUSTED', 'BILLING_DISABLED'],
      auth: [
        'API_KEY_INVALID',
        'API_KEY_EXPIRED',
        'ACCESS_TOKEN_EXPIRED',
        'CREDENTIALS_MISSING',
        'ACCESS_TOKEN_TYPE_UNSUPPORTED',
      ],
      permission: ['API_KEY_SERVICE_BLOCKED', 'API_KEY_IP_ADDRESS_BLOCKED', 'SERVICE_DISABLED', 'CONSUMER_SUSPENDED'],
    },
    requestIdHeaders: ['x-cloud-trace-context'],
  },
  {
    id: 'bedrock',
    codes: {
      overloaded: ['ModelNotReadyException', 'ServiceUnavailableException'],
      auth: [
        ...['ExpiredTokenException', 'UnrecognizedClientException', 'InvalidSignatureException', 'ExpiredToken'],
        ...['IncompleteSignatureException', 'MissingAuthenticationTokenException', 'InvalidClientTokenId'],
      ],
      timeout: ['ModelTimeoutException'],
    },
    codeHeaders: ['x-amzn-errortype'],
    requestIdHeaders: ['x-amzn-requestid', 'x-amzn-request-id', 'x-amz-request-id'],
  },
  {
    id: 'mistral',
    codes: {
      overloaded: ['service_tier_capacity_exceeded', '3505'],
      model_not_found: ['1500', 'invalid_model'],
      rate_limit: ['1300', 'rate_limited'],
    },
  },
  {
    id: 'cohere',
    codes: {},
    requestIdHeaders: ['x-debug-trace-id'],
  },
  {
    id: 'groq',
    codes: {
      quota_exhausted: ['blocked_api_access'],
      auth: ['organization_restricted'],
      permission: ['model_terms_required', 'model_permission_blocked_org', 'model_permission_blocked_project'],
      model_not_found: ['model_decommissioned'],
      invalid_request: ['tool_use_failed', 'json_validate_failed'],
    },
    requestIdHeaders: ['x-groq-id'],
  },
  { id: 'openrouter', codes: {} },
  { id: 'together', codes: { model_not_found: ['model_not_available'] } },
  { id: 'xai', codes: {} },
  { id: 'fireworks', codes: {} },
  { id: 'perplexity', codes: { rate_limit: ['request_rate_limit_exceeded'], model_not_found: ['invalid_model'] } },
  {
    id: 'cerebras',
    codes: {
      // Both are per minute: the message says so, the code alone would read as a quota.
      rate_limit: ['request_quota_exceeded', 'token_quota_exceeded'],
      overloaded: ['queue_exceeded'],
      auth: ['wrong_api_key'],
    },
  },
  {
    id: 'tgi',
    codes: { overloaded: ['healthcheck', 'unhealthy'], server_error: ['generation', 'incomplete_generation'] },
  },
  { id: 'llama.cpp', codes: { context_length: ['exceed_context_size_error'], unsupported: ['not_supported_error'] } },
  { id: 'ollama', codes: {} },
  { id: 'vllm', codes: {} },
  {
    id: 'lmstudio',
    codes: {},
    // It went to make room for another, or out of disuse: the next call loads it again.
    phrases: [{ pattern: /\bmodel (?:was |is )?unloaded\b/, class: 'server_error' }],
  },
  { id: 'cloudflare', codes: {}, requestIdHeaders: ['cf-ray'] },
  { id: 'nginx', codes: {} },
  {
    // Self-hosted relays that many share, and the simulator.
    id: 'openai-compatible',
    codes: {
      quota_exhausted: [
        'insufficient_user_quota',
        'pre_consume_token_quota_failed',
        'budget_exceeded',
        'usage_limit_reached',
      ],
      overloaded: ['get_channel_failed', 'no_available_channel'],
      permission: ['key_model_access_denied', 'team_model_access_denied'],
    },
    requestIdHeaders: ['x-request-id', 'x-oneapi-request-id', 'request-id', 'x-trace-id', 'trace-id'],
  },
];
