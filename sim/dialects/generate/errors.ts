/** Errors as google.rpc words them: a numeric code, a status by name, details by type. */
import type { Fault } from '../dialect.ts';

interface Row {
  readonly status: string;
  readonly message: string;
}

const BY_STATUS: Readonly<Record<number, Row>> = {
  400: { status: 'INVALID_ARGUMENT', message: 'Request contains an invalid argument.' },
  401: {
    status: 'UNAUTHENTICATED',
    message:
      'Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid ' +
      'authentication credential.',
  },
  402: { status: 'FAILED_PRECONDITION', message: 'This project has no active billing account.' },
  403: { status: 'PERMISSION_DENIED', message: 'The caller does not have permission' },
  404: {
    status: 'NOT_FOUND',
    message: 'The model is not found for this API version, or does not support this method.',
  },
  408: { status: 'DEADLINE_EXCEEDED', message: 'The request was not received whole in time.' },
  409: { status: 'ABORTED', message: 'The operation was aborted.' },
  413: { status: 'INVALID_ARGUMENT', message: 'Request payload size exceeds the limit: 20971520 bytes.' },
  429: {
    status: 'RESOURCE_EXHAUSTED',
    message: 'You exceeded your current quota, please check your plan and billing details.',
  },
  499: { status: 'CANCELLED', message: 'The operation was cancelled.' },
  500: { status: 'INTERNAL', message: 'An internal error has occurred. Please retry.' },
  501: { status: 'UNIMPLEMENTED', message: 'Operation is not implemented, or supported, or enabled.' },
  503: {
    status: 'UNAVAILABLE',
    message: 'This model is currently experiencing high demand. Please try again later.',
  },
  504: { status: 'DEADLINE_EXCEEDED', message: 'Deadline expired before operation could complete.' },
};

const TYPES = 'type.googleapis.com/google.rpc.';
const METRIC = 'generativelanguage.googleapis.com/generate_content_paid_tier_requests';
const QUOTA = 'GenerateRequestsPerMinutePerProjectPerModel';

/** The error as an object. A `param` names the field it is about, '' = the request itself. */
export function errorOf(fault: Fault): object {
  const fallback = fault.status >= 500 ? BY_STATUS[500] : BY_STATUS[400];
  const row = BY_STATUS[fault.status] ?? fallback;
  const details = detailsOf(fault);
  return {
    error: {
      code: fault.status,
      message: fault.message ?? row?.message ?? '',
      status: row?.status ?? 'UNKNOWN',
      ...(details.length > 0 ? { details } : {}),
    },
  };
}

/** Indented, as the vendor sends it. */
export function errorBody(fault: Fault): string {
  return `${JSON.stringify(errorOf(fault), null, 2)}\n`;
}

function detailsOf(fault: Fault): object[] {
  const details: object[] = [];
  // Codes in capitals are reasons of this dialect; others are the simulator's own words.
  if (fault.code !== undefined && /^[A-Z][A-Z0-9_]+$/.test(fault.code)) {
    details.push({ '@type': `${TYPES}ErrorInfo`, reason: fault.code, domain: 'googleapis.com' });
  }
  if (fault.status === 429) {
    const violations = [
      { quotaMetric: METRIC, quotaId: QUOTA, quotaDimensions: { location: 'global' }, quotaValue: '60' },
    ];
    details.push({ '@type': `${TYPES}QuotaFailure`, violations });
  }
  if (fault.status === 429 || fault.retryAfterS !== undefined) {
    details.push({ '@type': `${TYPES}RetryInfo`, retryDelay: `${fault.retryAfterS ?? 1}s` });
  }
  if (typeof fault.param === 'string' && fault.message !== undefined) {
    const violations = fault.message
      .split('\n')
      .map((description) => ({ ...(fault.param === '' ? {} : { field: fault.param }), description }));
    details.push({ '@type': `${TYPES}BadRequest`, fieldViolations: violations });
  }
  return details;
}
