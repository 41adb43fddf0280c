/** What the gateway refused, or that it was not there: the one error every call of the console rejects with. */

interface ErrorBody {
  readonly error?: {
    readonly message?: unknown;
    readonly code?: unknown;
    readonly param?: unknown;
    readonly request_id?: unknown;
  };
}

const textOr = <Else>(value: unknown, otherwise: Else): string | Else =>
  typeof value === 'string' ? value : otherwise;

/** A refusal in the gateway's own words. `status` 0: no answer came at all. */
export class ApiTrouble extends Error {
  override readonly name = 'ApiTrouble';
  readonly status: number;
  readonly code: string | null;
  /** The field or parameter it is about. */
  readonly param: string | null;
  /** Of the refused call, for whoever reads the gateway's log. */
  readonly requestId: string | null;
  readonly retryAfterMs: number | null;

  constructor(status: number, message: string, more: Partial<Omit<ApiTrouble, keyof Error | 'status'>> = {}) {
    super(message);
    this.status = status;
    this.code = more.code ?? null;
    this.param = more.param ?? null;
    this.requestId = more.requestId ?? null;
    this.retryAfterMs = more.retryAfterMs ?? null;
  }

  /** From an answer that is no success. Its body need not be JSON: a proxy may have spoken. */
  static async from(response: Response): Promise<ApiTrouble> {
    const body = (await response.json().catch(() => ({}))) as ErrorBody | null;
    const error = body?.error ?? {};
    const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
    return new ApiTrouble(response.status, textOr(error.message, `HTTP ${response.status}`), {
      code: textOr(error.code, null),
      param: textOr(error.param, null),
      requestId: textOr(error.request_id, response.headers.get('x-request-id')),
      retryAfterMs: Number.isFinite(seconds) ? seconds * 1000 : null,
    });
  }
}

/** Any thrown value as one that can be shown. */
export function troubleOf(thrown: unknown): ApiTrouble {
  if (thrown instanceof ApiTrouble) return thrown;
  return new ApiTrouble(0, thrown instanceof Error ? thrown.message : String(thrown));
}
