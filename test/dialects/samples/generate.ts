/** Streams of generateContent. */
import { DONE, type Sample, UNFRAMED, type Verdict } from './sample.ts';

const json = JSON.stringify;

const G_HEAD = { modelVersion: 'maker-m', responseId: 'r7' };
const G_USAGE = {
  promptTokenCount: 18,
  toolUsePromptTokenCount: 2,
  cachedContentTokenCount: 3,
  candidatesTokenCount: 5,
  thoughtsTokenCount: 2,
  totalTokenCount: 27,
};
const G = (
  parts: unknown[] | null,
  finish: string | null = null,
  more: object = {},
  index: number | null = 0,
): string =>
  `data: ${json({ candidates: [{ ...(parts === null ? {} : { content: { parts, role: 'model' } }), ...(finish === null ? {} : { finishReason: finish }), ...(index === null ? {} : { index }) }], usageMetadata: G_USAGE, ...G_HEAD, ...more })}\r\n\r\n`;
const g = (value: unknown): string => `data: ${json(value)}\r\n\r\n`;
const G_ERR = { error: { code: 503, message: 'The model is overloaded.', status: 'UNAVAILABLE' } };

function generate(
  name: string,
  verdict: Verdict,
  blocks: readonly (string | Buffer)[],
  more: Partial<Sample> = {},
): Sample {
  return { name: `generate: ${name}`, dialect: 'gemini', verdict, blocks, ...more };
}

export const GENERATE: readonly Sample[] = [
  generate('plain', 'ok', [G([{ text: 'Hi' }]), G([{ text: '!' }], 'STOP')], { commit: 0, usage: [20, 7, 3] }),
  generate('prompt blocked', 'ok_content_filter', [
    g({
      promptFeedback: { blockReason: 'PROHIBITED_CONTENT' },
      usageMetadata: { promptTokenCount: 5, totalTokenCount: 5 },
      ...G_HEAD,
    }),
  ]),
  generate('answer blocked before a word', 'ok_content_filter', [G(null, 'SAFETY')]),
  generate('answer blocked later', 'ok', [G([{ text: 'Hi' }]), G(null, 'RECITATION')], { commit: 0 }),
  generate(
    'STOP on each chunk',
    'ok',
    [G([{ text: 'A' }], 'STOP'), G([{ text: 'B' }], 'STOP'), G([{ text: 'C' }], 'STOP')],
    { commit: 0 },
  ),
  generate('finish without content', 'ok', [G([{ text: 'A' }]), G(null, 'STOP')], { commit: 0 }),
  generate(
    'counts alone behind the finish',
    'ok',
    [G([{ text: 'A' }], 'STOP'), g({ usageMetadata: G_USAGE, ...G_HEAD })],
    { commit: 0, usage: [20, 7, 3] },
  ),
  generate('call malformed, first', 'failover', [G(null, 'MALFORMED_FUNCTION_CALL', {}, 0)]),
  generate('unexpected call, first', 'failover', [G([{ text: '' }], 'UNEXPECTED_TOOL_CALL')]),
  generate('signature missing, first', 'failover', [G(null, 'MISSING_THOUGHT_SIGNATURE')]),
  generate('call malformed, later', 'error_after_commit', [G([{ text: 'A' }]), G(null, 'MALFORMED_FUNCTION_CALL')], {
    commit: 0,
  }),
  generate('OTHER, first', 'failover', [G(null, 'OTHER')]),
  generate('length', 'ok', [G([{ text: 'A' }]), G([{ text: '' }], 'MAX_TOKENS')], { commit: 0 }),
  generate('length after hidden thought', 'ok_empty', [G(null, 'MAX_TOKENS')]),
  generate('nothing said', 'ok_empty', [G([{ text: '' }], 'STOP')]),
  generate('error first', 'failover', [g(G_ERR)]),
  generate('error with its code as a word', 'failover', [
    g({ error: { code: '503', message: 'overloaded', status: 'UNAVAILABLE' } }),
  ]),
  generate('error in a list', 'failover', [g([G_ERR])]),
  generate('error later', 'error_after_commit', [G([{ text: 'A' }]), g(G_ERR)], { commit: 0 }),
  generate('error behind the finish', 'error_after_commit', [G([{ text: 'A' }], 'STOP'), g(G_ERR)], { commit: 0 }),
  generate('error without a frame, first', 'failover', [UNFRAMED]),
  generate('error list without a frame', 'error_after_commit', [G([{ text: 'A' }]), `[${UNFRAMED}]`], { commit: 0 }),
  generate('error without a frame and without an end', 'error_after_commit', [G([{ text: 'A' }]), UNFRAMED.trim()], {
    commit: 0,
  }),
  generate('error named by its event', 'failover', [`event: error\n${g(G_ERR)}`]),
  generate('cut', 'truncated_after_commit', [G([{ text: 'A' }]), G([{ text: 'B' }])], { commit: 0 }),
  generate('cut before content', 'failover', [G([{ text: '' }])]),
  generate('cut inside', 'truncated_after_commit', [G([{ text: 'A' }]), G([{ text: 'é' }], 'STOP').slice(0, -50)], {
    commit: 0,
  }),
  generate(
    'cut inside the word STOP',
    'truncated_after_commit',
    [G([{ text: 'A' }]), Buffer.from(G([{ text: '🙂' }], 'STOP')).subarray(0, 52)],
    { commit: 0 },
  ),
  generate('tail of whole JSON', 'ok', [G([{ text: 'A' }]), G([{ text: 'B' }], 'STOP').trim()], { commit: 0 }),
  generate(
    'two candidates',
    'ok',
    [G([{ text: 'A' }]), G([{ text: 'B' }], null, {}, 1), G(null, 'STOP', {}, 1), G(null, 'STOP')],
    { commit: 0, n: 2 },
  ),
  generate(
    'two candidates, one cut',
    'truncated_after_commit',
    [G([{ text: 'A' }]), G([{ text: 'B' }], null, {}, 1), G(null, 'STOP', {}, 1)],
    { commit: 0, n: 2 },
  ),
  generate('index missing', 'ok', [G([{ text: 'A' }], null, {}, null), G([{ text: 'B' }], 'STOP', {}, null)], {
    commit: 0,
  }),
  generate('signature alone', 'ok', [G([{ thoughtSignature: 'CiQD' }]), G([{ text: 'A' }], 'STOP')], { commit: 0 }),
  generate(
    'signature with empty words last',
    'ok',
    [G([{ text: 'A' }]), G([{ text: '', thoughtSignature: 'CiQD' }], 'STOP')],
    { commit: 0 },
  ),
  generate('call without id and arguments', 'ok', [G([{ functionCall: { name: 'f' } }], 'STOP')], { commit: 0 }),
  generate(
    'calls in several chunks',
    'ok',
    [
      G([{ functionCall: { name: 'f', args: { a: 1 } }, thoughtSignature: 'x' }]),
      G([{ functionCall: { name: 'f', args: { a: 2 } } }]),
      G([{ text: '' }], 'STOP'),
    ],
    { commit: 0 },
  ),
  generate(
    'thought, then words',
    'ok',
    [G([{ text: '', thought: true }]), G([{ text: 'hm', thought: true }]), G([{ text: 'A' }], 'STOP')],
    { commit: 1 },
  ),
  generate(
    'code run',
    'ok',
    [
      G([{ executableCode: { language: 'PYTHON', code: '1' } }]),
      G([{ codeExecutionResult: { outcome: 'OUTCOME_OK', output: '1' } }]),
      G([{ text: 'A' }], 'STOP'),
    ],
    { commit: 0 },
  ),
  generate(
    'LF alone',
    'ok',
    [G([{ text: 'Hi' }]), G([{ text: '!' }], 'STOP')].map((b) => b.replaceAll('\r\n', '\n')),
    { commit: 0 },
  ),
  generate(
    'CR alone',
    'ok',
    [G([{ text: 'Hi' }]), G([{ text: '!' }], 'STOP')].map((b) => b.replaceAll('\r\n', '\r')),
    { commit: 0 },
  ),
  generate(
    'comments, BOM, event names',
    'ok',
    ['\uFEFF: x\r\n\r\n', `: y\r\nevent: message\r\n${G([{ text: 'Hi' }])}`, G([{ text: '!' }], 'STOP'), ': z\r\n\r\n'],
    { commit: 1 },
  ),
  generate('[DONE] behind', 'ok', [G([{ text: 'Hi' }], 'STOP'), DONE], { commit: 0 }),
  generate('[DONE] without finish', 'truncated_after_commit', [G([{ text: 'Hi' }]), DONE], { commit: 0 }),
  generate(
    'null in place of candidates',
    'ok',
    [g({ candidates: null, usageMetadata: G_USAGE }), G([{ text: 'Hi' }], 'STOP')],
    {
      commit: 1,
    },
  ),
  generate('empty candidates and no reason', 'failover', [g({ candidates: [], usageMetadata: G_USAGE, ...G_HEAD })]),
  generate('finish unspecified', 'truncated_after_commit', [G([{ text: 'Hi' }], 'FINISH_REASON_UNSPECIFIED')], {
    commit: 0,
  }),
  generate(
    'data over several lines',
    'ok',
    [
      `data: {"candidates": [{\r\ndata: "content": {"parts": [{"text": "Hi"}], "role": "model"},\r\ndata: "finishReason": "STOP", "index": 0}]}\r\n\r\n`,
    ],
    { commit: 0 },
  ),
  generate(
    'glued in one block',
    'truncated_after_commit',
    [G([{ text: 'A' }]), `${G([{ text: 'B' }]).trim()}\r\n${G(null, 'STOP')}`],
    { commit: 0 },
  ),
];
