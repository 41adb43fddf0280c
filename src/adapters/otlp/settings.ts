/** The variables by which OpenTelemetry's exporters are set up everywhere; without an address nothing is exported (O-3). */
import { attributesOf, type KeyValue } from './span.ts';
import { parentBased, ratioSampler, type Sampler } from './trace-context.ts';

export interface OtlpSettings {
  /** Where spans are posted. */
  readonly url: string;
  /** Flat list name, value. */
  readonly headers: readonly string[];
  readonly timeoutMs: number;
  readonly sampler: Sampler;
  readonly resource: readonly KeyValue[];
  /** What was asked for and is not done, in plain words. */
  readonly notes: readonly string[];
}

type Environment = Readonly<Record<string, string | undefined>>;

const TIMEOUT_MS = 10_000;

/** Null = no traces are wanted, or they can't be sent; `note` then says why, if there is something to say. */
export function readOtlpSettings(env: Environment): OtlpSettings | { readonly note: string | null } {
  const read = (name: string): string | null => env[name]?.trim() || null;
  if (read('OTEL_SDK_DISABLED')?.toLowerCase() === 'true' || read('OTEL_TRACES_EXPORTER') === 'none') return OFF;
  const url = addressOf(read);
  if (url === null) return OFF;
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    return { note: 'OTEL_EXPORTER_OTLP_ENDPOINT is no http or https address: no traces are sent' };
  }
  const notes: string[] = [];
  const protocol = read('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL') ?? read('OTEL_EXPORTER_OTLP_PROTOCOL');
  if (protocol === 'grpc') {
    return {
      note: 'OTEL_EXPORTER_OTLP_PROTOCOL is grpc: traces are sent as http/json only, to the port for http (4318)',
    };
  }
  if (protocol !== null && protocol !== 'http/json') notes.push(`traces are sent as http/json, not as ${protocol}`);
  return {
    url,
    headers: pairs(read('OTEL_EXPORTER_OTLP_TRACES_HEADERS') ?? read('OTEL_EXPORTER_OTLP_HEADERS')).flatMap(
      ([name, value]) => [name.toLowerCase(), value],
    ),
    timeoutMs: numberOf(read('OTEL_EXPORTER_OTLP_TRACES_TIMEOUT') ?? read('OTEL_EXPORTER_OTLP_TIMEOUT')) ?? TIMEOUT_MS,
    sampler: samplerOf(read('OTEL_TRACES_SAMPLER'), numberOf(read('OTEL_TRACES_SAMPLER_ARG')), notes),
    resource: resourceOf(read),
    notes,
  };
}

const OFF = { note: null };

type Read = (name: string) => string | null;

/** The address for traces is taken as it is; the common one has its path appended. */
function addressOf(read: Read): string | null {
  const own = read('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT');
  if (own !== null) return own;
  const common = read('OTEL_EXPORTER_OTLP_ENDPOINT');
  return common === null ? null : `${common.replace(/\/+$/, '')}/v1/traces`;
}

function samplerOf(name: string | null, share: number | null, notes: string[]): Sampler {
  const ratio = ratioSampler(share === null ? 1 : Math.min(1, Math.max(0, share)));
  const known: Readonly<Record<string, Sampler>> = {
    always_on: () => true,
    always_off: () => false,
    traceidratio: ratio,
    parentbased_always_on: parentBased(() => true),
    parentbased_always_off: parentBased(() => false),
    parentbased_traceidratio: parentBased(ratio),
  };
  const wanted = name ?? 'parentbased_always_on';
  if (Object.hasOwn(known, wanted)) return known[wanted]!;
  notes.push(`OTEL_TRACES_SAMPLER ${wanted} is unknown; parentbased_always_on is used`);
  return known['parentbased_always_on']!;
}

/** The service's own name beats the one among the attributes. */
function resourceOf(read: Read): KeyValue[] {
  const given = Object.fromEntries(pairs(read('OTEL_RESOURCE_ATTRIBUTES')));
  const name = read('OTEL_SERVICE_NAME') ?? given['service.name'] ?? 'understudy';
  return attributesOf({ ...given, 'service.name': name });
}

/** `name=value,name=value`, percent-encoded. */
function pairs(text: string | null): [string, string][] {
  return (text ?? '').split(',').flatMap((pair): [string, string][] => {
    const at = pair.indexOf('=');
    const name = pair.slice(0, Math.max(0, at)).trim();
    return name === '' ? [] : [[name, decoded(pair.slice(at + 1).trim())]];
  });
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function numberOf(text: string | null): number | null {
  const value = text === null ? Number.NaN : Number(text);
  return Number.isFinite(value) && value >= 0 ? value : null;
}
