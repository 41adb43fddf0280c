/** What Chinese providers call their failures. Their codes are often numbers, and money, rate and load share a status. */
import type { VocabularyRow } from './row.ts';

export const CHINESE: readonly VocabularyRow[] = [
  {
    id: 'deepseek',
    codes: {},
  },
  {
    id: 'moonshot',
    codes: {
      quota_exhausted: ['exceeded_current_quota_error'],
      overloaded: ['engine_overloaded_error'],
      rate_limit: ['rate_limit_reached_error'],
      auth: ['invalid_authentication_error', 'incorrect_api_key_error'],
    },
    phrases: [{ pattern: /\bmodel token limit\b/, class: 'context_length' }],
    requestIdHeaders: ['msh-request-id'],
  },
  {
    id: 'dashscope',
    codes: {
      // The compatible mode's words for a full minute of tokens; an empty account is Arrearage.
      rate_limit: ['Throttling.AllocationQuota', 'insufficient_quota', 'Throttling.RateQuota', 'limit_burst_rate'],
      quota_exhausted: [
        ...['Arrearage', 'AllocationQuota.FreeTierOnly', 'CommodityNotPurchased', 'PrepaidBillOverdue'],
        ...['PostpaidBillOverdue'],
      ],
      permission: ['AccessDenied.Unpurchased', 'Model.AccessDenied', 'Workspace.AccessDenied'],
      content_policy: ['DataInspectionFailed', 'data_inspection_failed'],
      overloaded: ['ModelServingError', 'ModelUnavailable', 'ServiceUnavailable'],
    },
    phrases: [
      {
        pattern: /\bfree\b.{0,40}\bquota\b|\bfree tier\b|免费/,
        class: 'quota_exhausted',
        code: 'throttlingallocationquota',
      },
      { pattern: /\bfree\b.{0,40}\bquota\b|\bfree tier\b|免费/, class: 'quota_exhausted', code: 'insufficientquota' },
    ],
  },
  {
    id: 'zhipu',
    codes: {
      auth: ['1000', '1001', '1002', '1003', '1004', '1005', '1111'],
      permission: ['1110', '1112', '1121', '1220', '1311'],
      quota_exhausted: ['1113', '1304', '1308', '1309', '1310'],
      invalid_request: ['1210', '1213', '1214', '1215', '1231'],
      model_not_found: ['1211', '1221', '1222'],
      unsupported: ['1212'],
      server_error: ['1120', '1200', '1230', '1234'],
      context_length: ['1261'],
      content_policy: ['1300', '1301'],
      rate_limit: ['1302', '1303', '1313'],
      overloaded: ['1305', '1312'],
    },
    phrases: [{ pattern: /\brate limit|速率|频率|请求频次/, class: 'rate_limit', code: '1305' }],
  },
  {
    id: 'volcengine',
    codes: {
      quota_exhausted: ['SetLimitExceeded', 'QuotaExceeded', 'AccountOverdueError', 'SubscriptionExpired'],
      overloaded: ['ServerOverloaded', 'ModelLoadingError'],
      rate_limit: ['RequestBurstTooFast', 'InflightBatchsizeExceeded'],
      context_length: ['OutofContextError'],
      permission: ['ModelNotOpen', 'OperationDenied.ServiceNotOpen', 'InvalidAccountStatus'],
      model_not_found: ['InvalidEndpoint.ClosedEndpoint', 'InvalidEndpointOrModel.NotFound'],
    },
    requestIdHeaders: ['x-tt-logid'],
  },
  {
    id: 'siliconflow',
    codes: {
      quota_exhausted: ['30001', '30011'],
      model_not_found: ['20012'],
      overloaded: ['50505', '50508'],
    },
    requestIdHeaders: ['x-siliconcloud-trace-id'],
  },
  {
    id: 'minimax',
    codes: {
      server_error: ['base_resp.1000', 'base_resp.1013', 'base_resp.1024', 'base_resp.1033'],
      timeout: ['base_resp.1001'],
      rate_limit: ['base_resp.1002', 'base_resp.1039', 'base_resp.1041', 'base_resp.2045'],
      auth: ['base_resp.1004', 'base_resp.2049'],
      quota_exhausted: ['base_resp.1008', 'base_resp.2056'],
      content_policy: ['base_resp.1026', 'base_resp.1027'],
      permission: ['base_resp.2038', 'base_resp.2061'],
      overloaded: ['base_resp.2062', 'base_resp.2064'],
      invalid_request: ['base_resp.1042', 'base_resp.2013', 'base_resp.20132'],
    },
    phrases: [{ pattern: /context|too long|window|上下文|超长/, class: 'context_length', code: 'baseresp2013' }],
    requestIdHeaders: ['trace-id'],
  },
  {
    id: 'qianfan',
    codes: {
      server_error: ['error_code.1', 'error_code.336000'],
      overloaded: ['error_code.2', 'error_code.336100', 'server_high_load'],
      permission: ['error_code.6'],
      auth: [
        'error_code.13',
        'error_code.14',
        'error_code.15',
        'error_code.110',
        'error_code.111',
        'invalid_iam_token',
      ],
      quota_exhausted: ['error_code.17', 'error_code.19'],
      rate_limit: ['error_code.4', 'error_code.18', 'error_code.336501', 'error_code.336502'],
      context_length: ['error_code.336007', 'error_code.336103', 'tokens_too_long', 'characters_too_long'],
      invalid_request: ['error_code.100', 'error_code.336001', 'error_code.336002', 'error_code.336003'],
    },
  },
  {
    id: 'hunyuan',
    codes: {
      rate_limit: ['LimitExceeded', 'RequestLimitExceeded'],
      overloaded: ['FailedOperation.EngineServerLimitExceeded', 'ResourceInsufficient', 'ResourceUnavailable'],
      quota_exhausted: [
        ...['FailedOperation.ResourcePackExhausted', 'FailedOperation.FreeResourcePackExhausted'],
        ...['FailedOperation.ServiceStopArrears', 'FailedOperation.ServiceStop', 'ResourceUnavailable.InArrears'],
      ],
      permission: ['AuthFailure.UnauthorizedOperation', 'UnauthorizedOperation', 'FailedOperation.UserUnAuthError'],
      content_policy: ['OperationDenied.TextIllegalDetected', 'OperationDenied.ImageIllegalDetected'],
      timeout: ['FailedOperation.EngineRequestTimeout'],
      server_error: ['FailedOperation.EngineServerError'],
      model_not_found: ['InvalidParameterValue.Model'],
    },
  },
];
