/** Sessions of the console, as the API's description tells them (G-8). */
import { ROLES } from '../../core/access/roles.ts';
import { bodyJsonSchema } from './json-body.ts';
import { INSTANT, object, schemaRef, TEXT, TEXT_OR_NULL } from './openapi-parts.ts';
import { SESSION_COOKIE } from './session-cookie.ts';
import { SESSION_PATH, SIGN_IN_BODY } from './session-routes.ts';

const ERROR = { 'application/json': { schema: schemaRef('Error') } };
const SESSION = { 'application/json': { schema: schemaRef('Session') } };
const AWAY = { '503': { description: 'The store cannot be used at the moment.', content: ERROR } };

export const SESSION_SCHEMAS: Readonly<Record<string, object>> = {
  Session: object({
    name: { ...TEXT, description: '`admin`, or the member’s name.' },
    role: { enum: ROLES },
    workspace: { ...TEXT_OR_NULL, description: 'The one workspace of a member that has one.' },
    csrf_token: { ...TEXT, description: 'Sent as `X-Understudy-CSRF` with every change by the session’s cookie.' },
    expires_at: { ...INSTANT, description: 'Unless it is used before.' },
  }),
};

export const SESSION_SCHEME = {
  type: 'apiKey',
  in: 'cookie',
  name: SESSION_COOKIE,
  description: 'A session of the console. Anything but GET and HEAD needs `X-Understudy-CSRF` beside it.',
} as const;

/** Path → its operations. */
export const SESSION_OPERATIONS: Readonly<Record<string, object>> = {
  [`/admin${SESSION_PATH}`]: {
    post: {
      summary: 'Signs in: opens a session and sets its cookie.',
      description: 'For everybody with a token: admins and members.',
      security: [],
      parameters: [],
      requestBody: { required: true, content: { 'application/json': { schema: bodyJsonSchema(SIGN_IN_BODY) } } },
      responses: {
        '200': { description: 'Signed in.', content: SESSION },
        '400': { description: 'The body cannot be used; `param` names the field.', content: ERROR },
        '401': { description: 'The token is wrong.', content: ERROR },
        '403': { description: 'A page of another site asks.', content: ERROR },
        '429': {
          description: 'Too many sign-ins have failed; `retry_at` says when the next is taken.',
          content: ERROR,
        },
        ...AWAY,
      },
    },
    get: {
      summary: 'Who has signed in.',
      security: [{ session: [] }],
      parameters: [],
      responses: {
        '200': { description: 'Good.', content: SESSION },
        '401': { description: 'There is no session, or it is over.', content: ERROR },
        ...AWAY,
      },
    },
    delete: {
      summary: 'Signs out: the session ends everywhere, and its cookie goes.',
      security: [{ session: [] }],
      parameters: [],
      responses: {
        '200': { description: 'Signed out.', content: { 'application/json': { schema: { type: 'object' } } } },
        '403': { description: 'Without `X-Understudy-CSRF`, or from a page of another site.', content: ERROR },
        ...AWAY,
      },
    },
  },
};
