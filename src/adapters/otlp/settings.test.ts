import { describe, expect, it } from 'vitest';
import { type OtlpSettings, readOtlpSettings } from './settings.ts';

const AT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };

function settings(env: Record<string, string>): OtlpSettings {
  const read = readOtlpSettings({ ...AT, ...env });
  if ('note' in read) throw new Error(`off: ${read.note}`);
  return read;
}

describe('O-3: OpenTelemetry’s own variables', () => {
  it('without an address nothing is sent, and nothing is said', () => {
    expect(readOtlpSettings({})).toEqual({ note: null });
    expect(readOtlpSettings({ OTEL_SERVICE_NAME: 'x' })).toEqual({ note: null });
  });

  it('can be switched off with an address, too', () => {
    expect(readOtlpSettings({ ...AT, OTEL_SDK_DISABLED: 'TRUE' })).toEqual({ note: null });
    expect(readOtlpSettings({ ...AT, OTEL_TRACES_EXPORTER: 'none' })).toEqual({ note: null });
  });

  it('the common address has the path of traces appended, their own is taken as it is', () => {
    expect(settings({}).url).toBe('http://collector:4318/v1/traces');
    expect(settings({ OTEL_EXPORTER_OTLP_ENDPOINT: 'https://c/otlp/' }).url).toBe('https://c/otlp/v1/traces');
    expect(settings({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://t:1/here' }).url).toBe('http://t:1/here');
  });

  it('headers, timeout and resource; those for traces beat the common ones', () => {
    const read = settings({
      OTEL_EXPORTER_OTLP_HEADERS: 'x=1',
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'Authorization=Bearer%20abc, x-team = a=b ,=none,',
      OTEL_EXPORTER_OTLP_TIMEOUT: '2500',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test,service.name=ignored',
      OTEL_SERVICE_NAME: 'gateway',
    });
    expect(read.headers).toEqual(['authorization', 'Bearer abc', 'x-team', 'a=b']);
    expect(read.timeoutMs).toBe(2500);
    expect(read.resource).toEqual([
      { key: 'deployment.environment.name', value: { stringValue: 'test' } },
      { key: 'service.name', value: { stringValue: 'gateway' } },
    ]);
    expect(settings({}).resource).toEqual([{ key: 'service.name', value: { stringValue: 'understudy' } }]);
  });

  it('samplers by their names; an unknown one is said', () => {
    const none = { traceId: 'f'.repeat(32), spanId: 'f'.repeat(16), isSampled: false };
    const decide = (name: string, arg = ''): boolean[] => {
      const { sampler } = settings({ OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: arg });
      return [sampler(() => 'f'.repeat(32), null), sampler(() => 'f'.repeat(32), none)];
    };
    expect(decide('always_on')).toEqual([true, true]);
    expect(decide('always_off')).toEqual([false, false]);
    expect(decide('traceidratio', '0.1')).toEqual([false, false]);
    expect(decide('parentbased_always_on')).toEqual([true, false]);
    expect(decide('parentbased_traceidratio', '1')).toEqual([true, false]);
    expect(decide('constructor')).toEqual([true, false]);
    expect(settings({ OTEL_TRACES_SAMPLER: 'jaeger' }).notes).toEqual([expect.stringContaining('jaeger')]);
  });

  it('another protocol than http/json is said: gRPC can’t be served, protobuf is sent as JSON', () => {
    expect(readOtlpSettings({ ...AT, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' })).toEqual({
      note: expect.stringContaining('4318'),
    });
    expect(settings({ OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf' }).notes).toHaveLength(1);
    expect(readOtlpSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector' })).toEqual({ note: expect.any(String) });
  });
});
