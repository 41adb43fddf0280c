import type { TransportFault } from '../core/classify/transport.ts';
import type { NetworkRules } from '../core/net/network-rules.ts';
import type { SigningOrder } from '../providers/auth.ts';

/** A body that is not held in memory: it is read anew for every call. */
export interface UploadBody {
  /** Bytes that `open` gives in all. */
  readonly length: number;
  open(): AsyncIterable<Uint8Array>;
}

/** Told in an upstream's place, as JSON: nothing was sent. */
export interface UnsentAnswer {
  readonly status: number;
  readonly body: Uint8Array;
}

/** One upstream call over HTTP. The adapter resends nothing, follows no redirect, decodes nothing but content-encoding. */
export interface UpstreamRequest {
  /** Absolute URL. */
  readonly url: string;
  /** Flat list name, value, name, value: exactly what is sent beside host and content-length. */
  readonly headers: readonly string[];
  readonly body: Uint8Array | UploadBody;
  /** Absent = POST. Of the others nothing but the head is sent. */
  readonly method?: 'GET' | 'DELETE';
  /** What has to be waited for first: gives the body as it is then, or says why nothing is sent. Absent = nothing. */
  readonly before?: () => Promise<Uint8Array | UnsentAnswer>;
  /** What has to be done to show the credential, by whoever can; absent = the headers show it. */
  readonly sign?: SigningOrder;
  /**
   * Headers that speak of the body as it is sent, told its SHA-256 in lower-case hex; asked once, when nothing else is left
   * to be done. What it throws ends the call as one that reached nobody. Absent = none.
   */
  readonly entitle?: (bodySha256: string) => readonly string[];
  readonly connectTimeoutMs: number;
  /** Outgoing HTTP proxy, or null. */
  readonly proxy: string | null;
  /**
   * Set where the address comes from a workspace: the connection is made only to an address these rules let through, and
   * to the very one that was judged (G-9). Null = the operator's own address, whatever it is.
   */
  readonly guard: NetworkRules | null;
}

export type { TransportFault };

/** Callbacks of one call, in order: head once, data*, then end or fault, exactly one. */
export interface UpstreamHandler {
  /** The request's bytes have all been handed to the socket. At most once, before `onHead`. */
  onSent(): void;
  /** Headers arrived; names lower case. */
  onHead(status: number, headers: Record<string, string>): void;
  /** Decoded body bytes. Return false to pause; call `resume()` of the handle to go on. */
  onData(chunk: Uint8Array): boolean;
  onEnd(): void;
  onFault(fault: TransportFault): void;
}

export interface UpstreamCall {
  /** Aborts at once: the socket is closed, no callback comes any more. */
  abort(): void;
  resume(): void;
  /** The request's bytes have all been handed to the socket. */
  readonly sent: boolean;
}

export interface Transport {
  call(request: UpstreamRequest, handler: UpstreamHandler): UpstreamCall;
  close(): Promise<void>;
}
