/** A configured text as a whole answer that no model wrote (E-4), and a whole answer as a stream (F-5). */
import { ByteWriter } from '../bytes/byte-writer.ts';
import { jsonBytes } from '../bytes/text.ts';
import type { Answer, AnswerWrite, ClientRequest, StaticText } from '../contract.ts';
import { MODEL_KEY, readAnswer, writeAnswer } from './response.ts';
import { FormWriter, isArrayForm } from './stream-form.ts';

/** Who asks for more answers at once gets so many. */
const MOST_CANDIDATES = 128;

export function staticAnswer({ text, id, model, n }: StaticText): Answer {
  const candidates = Array.from({ length: Math.min(Math.max(n, 1), MOST_CANDIDATES) }, (_, index) => ({
    content: { parts: [{ text }], role: 'model' },
    finishReason: 'STOP',
    index,
  }));
  const usageMetadata = { promptTokenCount: 0, candidatesTokenCount: 0, totalTokenCount: 0 };
  const answer = readAnswer(jsonBytes({ candidates, usageMetadata, [MODEL_KEY]: model, responseId: id }));
  if (answer === null) throw new Error('a static answer can not be read');
  return answer;
}

/** A chunk has the shape of a whole answer: the stream is that one chunk, on one line. */
export function answerToStream(
  answer: Answer,
  write: Pick<AnswerWrite, 'servedModel' | 'report'>,
  request: ClientRequest,
): Uint8Array {
  const json = writeAnswer(answer, write);
  // No JSON string holds a raw line's end.
  for (let i = 0; i < json.length; i++) if (json[i] === 0x0a || json[i] === 0x0d) json[i] = 0x20;
  const out = new ByteWriter();
  const writer = new FormWriter(isArrayForm(request));
  writer.write(out, json, 0, json.length);
  out.write(writer.ending);
  return out.take();
}
