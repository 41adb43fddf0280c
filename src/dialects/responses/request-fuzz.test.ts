import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { TargetFacts } from '../contract.ts';
import { MARK } from '../cross/opaque-marks.ts';
import { responsesCodec } from './codec.ts';
import { BOUND, HINTS, MODELLED } from './request-fields.ts';
import { responsesClient, responsesUpstream } from './translated.ts';

const target: TargetFacts = { upstreamModel: 'up', vendor: 'openai', maxOutputTokens: null, lacks: new Set() };

const WORDS = [
  ...[
    'message',
    'reasoning',
    'function_call',
    'function_call_output',
    'custom_tool_call',
    'item_reference',
    'namespace',
  ],
  ...['input_text', 'input_image', 'input_file', 'output_text', 'refusal', 'summary_text', 'function', 'custom', 'mcp'],
  ...['user', 'assistant', 'developer', 'web_search', 'json_schema', 'grammar', 'allowed_tools', 'auto', 'required'],
  ...[
    'http://x.test',
    'data:image/png;base64,AA',
    '{}',
    'rs_1',
    `rs_${MARK}_req_1_0`,
    `${MARK}AAAA`,
    'file_1',
    '\\u0000',
  ],
];
const KEYS = [
  ...['type', 'role', 'content', 'text', 'id', 'call_id', 'name', 'arguments', 'input', 'output', 'summary', 'tools'],
  ...['encrypted_content', 'image_url', 'file_id', 'file_url', 'file_data', 'filename', 'annotations', 'url', 'format'],
  ...[
    'schema',
    'effort',
    'mode',
    'parameters',
    'strict',
    'namespace',
    'container',
    'server_url',
    'definition',
    '__proto__',
  ],
];
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    fc.constantFrom(...WORDS),
    fc.constantFrom(null, true, false, 0, -1, 1.5, 1e300, ''),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...KEYS), tie('value'), { maxKeys: 5 }),
  ),
}));
const body = fc.dictionary(fc.constantFrom(...MODELLED, ...HINTS, ...BOUND.keys(), 'x_odd'), value, { maxKeys: 8 });
const degrade = fc.constantFrom(null, {
  max_output_tokens: 5,
  drop_tools: true,
  drop_response_format: true,
  reasoning_effort: 'low',
  drop_params: ['text', 'reasoning', 'metadata'],
});

describe('any JSON as a request', () => {
  test('E-5, R-4: is read or refused in words; what is written for an upstream is JSON', () => {
    fc.assert(
      fc.property(body, degrade, fc.boolean(), (fields, lowered, bare) => {
        const read = responsesCodec.readRequest(Buffer.from(JSON.stringify({ model: 'm', input: 'x', ...fields })));
        if (!read.ok) {
          expect(read.error.status).toBe(400);
          return;
        }
        const request = read.value;
        responsesCodec.needs(request, lowered).feature(() => false);
        responsesCodec.needs(request, lowered).input(() => true);
        responsesCodec.asks(request, lowered);
        responsesCodec.callerMark(request, 'user');
        responsesCodec.suppliedUrls(request);
        responsesCodec.namedState(request);
        responsesCodec.actsUpstream(request);
        const write = { target, degrade: lowered, injectUsage: true, bare, outputTokens: 32 };
        const native = JSON.parse(Buffer.from(responsesCodec.writeUpstream(request, write).bytes).toString());
        expect(native.model).toBe('up');
        const changed = responsesClient.degraded(request, lowered);
        const canonical = responsesClient.canonical.readRequest(changed.request);
        if (!canonical.ok) {
          expect(canonical.error.status).toBe(400);
          return;
        }
        if (responsesUpstream.canonical.misses(canonical.value, target) !== null) return;
        const written = responsesUpstream.canonical.writeRequest(canonical.value, write);
        expect(JSON.parse(Buffer.from(written.bytes).toString()).store).toBe(false);
      }),
      { numRuns: 3000 },
    );
  });

  test('F-5: any JSON as an answer is usable or not, and never an exception', () => {
    fc.assert(
      fc.property(value, fc.constantFrom('completed', 'incomplete', 'failed', 'queued'), (output, status) => {
        const bytes = Buffer.from(JSON.stringify({ id: 'resp_1', status, output, usage: output, error: null }));
        const answer = responsesCodec.readAnswer(bytes);
        responsesUpstream.canonical.readAnswer(bytes, new Map());
        if (answer === null) return;
        responsesCodec.isCut(answer);
        const write = { servedModel: 's', report: null, classic: false };
        expect(JSON.parse(Buffer.from(responsesCodec.writeAnswer(answer, write)).toString()).model).toBe('s');
        const request = responsesCodec.readRequest(Buffer.from('{"model":"m","input":"x"}'));
        if (!request.ok) return;
        const events = Buffer.from(responsesCodec.answerToStream(answer, write, request.value)).toString();
        expect(events.match(/^event: response\.(?:completed|incomplete)$/gm)).toHaveLength(1);
      }),
      { numRuns: 2000 },
    );
  });
});
