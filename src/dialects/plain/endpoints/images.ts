/** Images, made and changed. */
import { type BodyView, memberValue, readBoolean } from '../../bytes/body-view.ts';
import { type Edit, edit } from '../../bytes/edit.ts';
import { objectsIn } from '../../bytes/nested.ts';
import { jsonBytes } from '../../bytes/text.ts';
import { CONTENT } from '../../stream/grammar.ts';
import type { Artifact, EventStreams, PlainEndpoint } from '../endpoint.ts';
import { absent, isFilled } from '../faults.ts';
import { ObjectEvents } from '../object-events.ts';

/** Every image is there; some call the list `images`. */
function images(answer: BodyView): Artifact {
  const list = imagesIn(answer);
  const all = list.length > 0 && list.every((one) => isFilled(one, 'b64_json') || isFilled(one, 'url'));
  return all ? 'there' : absent(answer);
}

/** As text, an image of usual size: about a thousand tokens. */
const IMAGE_BYTES = 4000;

function imagesIn(answer: BodyView): BodyView[] {
  const list = objectsIn(answer, 'data');
  return list.length > 0 ? list : objectsIn(answer, 'images');
}

function imageEvents(type: string): EventStreams {
  return {
    grammar: (options) => new ObjectEvents(options, CONTENT.images, IMAGE_BYTES),
    ofWhole: (answer) => eventsOf(answer, type),
    terminator: '',
    named: true,
  };
}

/** What stands beside the images goes with each of them, their counts with the last. */
function eventsOf(answer: BodyView, type: string): Uint8Array[] {
  const list = imagesIn(answer);
  const beside = answer.members.filter(({ key }) => !['data', 'images', 'created', 'usage', 'type'].includes(key));
  const named = readCreated(answer);
  return list.map((image, at) => {
    const edits: Edit[] = [{ op: 'set', key: 'type', value: jsonBytes(type) }, ...named];
    for (const found of beside)
      edits.push({ op: 'set', key: found.key, value: answer.bytes.subarray(found.valueStart, found.valueEnd) });
    const usage = answer.members.find(({ key }) => key === 'usage');
    if (usage !== undefined && at === list.length - 1) {
      edits.push({ op: 'set', key: 'usage', value: answer.bytes.subarray(usage.valueStart, usage.valueEnd) });
    }
    return edit(image, edits);
  });
}

function readCreated(answer: BodyView): Edit[] {
  const created = answer.members.find(({ key }) => key === 'created');
  return created === undefined
    ? []
    : [{ op: 'set', key: 'created_at', value: jsonBytes(memberValue(answer, created)) }];
}

const COMMON = {
  output: (view: BodyView) => (readBoolean(view, 'stream') === true ? 'events' : 'json') as 'events' | 'json',
  artifact: images,
  contentBytes: (answer: BodyView) => imagesIn(answer).length * IMAGE_BYTES,
  acts: true,
  tokens: {},
} as const;

export const IMAGE_GENERATION: PlainEndpoint = {
  ...COMMON,
  operation: 'image_generation',
  path: '/images/generations',
  answerName: 'generated image',
  input: 'json',
  required: ['prompt'],
  needs: [],
  events: imageEvents('image_generation.completed'),
};

export const IMAGE_EDIT: PlainEndpoint = {
  ...COMMON,
  operation: 'image_edit',
  path: '/images/edits',
  answerName: 'changed image',
  input: 'form',
  required: ['prompt'],
  needs: ['image'],
  events: imageEvents('image_edit.completed'),
};
