/** The request's messages: which fields each has and what they hold. Names in lowerCamelCase, as answers spell them. */

/** `struct` is any JSON object, `value` any JSON at all: nothing inside them is looked at. */
export type Scalar = 'string' | 'number' | 'integer' | 'boolean' | 'bytes' | 'struct' | 'value';

export type Kind =
  | Scalar
  | { readonly message: string }
  | { readonly list: Kind }
  | { readonly map: Kind }
  /** One of these words; `name` is the enumeration's own, for messages. */
  | { readonly words: readonly string[]; readonly name: string };

export type Fields = Readonly<Record<string, Kind>>;

/** Fields of which a message holds one at most. */
export const ONE_OF: Readonly<Record<string, { readonly name: string; readonly fields: readonly string[] }>> = {
  Part: {
    name: 'data',
    fields: [
      'text',
      'inlineData',
      'functionCall',
      'functionResponse',
      'fileData',
      'executableCode',
      'codeExecutionResult',
      'toolCall',
      'toolResponse',
    ],
  },
};

const message = (name: string): Kind => ({ message: name });
const list = (of: Kind): Kind => ({ list: of });
const words = (name: string, ...all: string[]): Kind => ({ name, words: all });
const prefixed = (prefix: string, ...all: string[]): string[] => all.map((word) => prefix + word);

const STRINGS = list('string');
const RESOLUTION = words('MediaResolution', ...prefixed('MEDIA_RESOLUTION_', 'UNSPECIFIED', 'LOW', 'MEDIUM', 'HIGH'));

/** Types of a schema, in capitals; small letters pass too. */
export const SCHEMA_TYPES = ['STRING', 'NUMBER', 'INTEGER', 'BOOLEAN', 'ARRAY', 'OBJECT', 'NULL'];

const EMPTY: Fields = {};

/** Every message a request may hold, by name. */
export const MESSAGES: Readonly<Record<string, Fields>> = {
  GenerateContentRequest: {
    model: 'string',
    contents: list(message('Content')),
    systemInstruction: message('Content'),
    tools: list(message('Tool')),
    toolConfig: message('ToolConfig'),
    safetySettings: list(message('SafetySetting')),
    generationConfig: message('GenerationConfig'),
    cachedContent: 'string',
    labels: { map: 'string' },
    serviceTier: 'string',
    store: 'boolean',
    continuationToken: 'string',
  },
  CountTokensRequest: {
    model: 'string',
    contents: list(message('Content')),
    generateContentRequest: message('GenerateContentRequest'),
  },
  Content: { role: 'string', parts: list(message('Part')) },
  Part: {
    text: 'string',
    inlineData: message('Blob'),
    fileData: message('FileData'),
    functionCall: message('FunctionCall'),
    functionResponse: message('FunctionResponse'),
    executableCode: message('ExecutableCode'),
    codeExecutionResult: message('CodeExecutionResult'),
    toolCall: message('ToolCall'),
    toolResponse: message('ToolResponse'),
    thought: 'boolean',
    thoughtSignature: 'bytes',
    videoMetadata: message('VideoMetadata'),
    partMetadata: 'struct',
    mediaResolution: message('PartMediaResolution'),
  },
  Blob: { mimeType: 'string', data: 'bytes' },
  FileData: { mimeType: 'string', fileUri: 'string' },
  FunctionCall: { id: 'string', name: 'string', args: 'struct' },
  FunctionResponse: {
    id: 'string',
    name: 'string',
    response: 'struct',
    parts: list(message('FunctionResponsePart')),
    willContinue: 'boolean',
    scheduling: words('Scheduling', 'SCHEDULING_UNSPECIFIED', 'SILENT', 'WHEN_IDLE', 'INTERRUPT'),
  },
  FunctionResponsePart: { inlineData: message('Blob') },
  ExecutableCode: { id: 'string', language: words('Language', 'LANGUAGE_UNSPECIFIED', 'PYTHON'), code: 'string' },
  CodeExecutionResult: {
    id: 'string',
    outcome: words('Outcome', ...prefixed('OUTCOME_', 'UNSPECIFIED', 'OK', 'FAILED', 'DEADLINE_EXCEEDED')),
    output: 'string',
  },
  ToolCall: { id: 'string', toolType: 'string', args: 'struct' },
  ToolResponse: { id: 'string', toolType: 'string', response: 'struct' },
  VideoMetadata: { startOffset: 'string', endOffset: 'string', fps: 'number' },
  PartMediaResolution: { level: 'string', numTokens: 'integer' },
  Tool: {
    functionDeclarations: list(message('FunctionDeclaration')),
    googleSearch: 'struct',
    googleSearchRetrieval: 'struct',
    googleMaps: 'struct',
    urlContext: message('Empty'),
    codeExecution: message('Empty'),
    computerUse: 'struct',
    fileSearch: 'struct',
    mcpServers: list('struct'),
  },
  Empty: EMPTY,
  FunctionDeclaration: {
    name: 'string',
    description: 'string',
    behavior: words('Behavior', 'UNSPECIFIED', 'BLOCKING', 'NON_BLOCKING'),
    parameters: message('Schema'),
    parametersJsonSchema: 'value',
    response: message('Schema'),
    responseJsonSchema: 'value',
  },
  Schema: {
    type: words('Type', 'TYPE_UNSPECIFIED', ...SCHEMA_TYPES, ...SCHEMA_TYPES.map((type) => type.toLowerCase())),
    format: 'string',
    title: 'string',
    description: 'string',
    nullable: 'boolean',
    enum: STRINGS,
    items: message('Schema'),
    minItems: 'integer',
    maxItems: 'integer',
    properties: { map: message('Schema') },
    required: STRINGS,
    minProperties: 'integer',
    maxProperties: 'integer',
    propertyOrdering: STRINGS,
    minimum: 'number',
    maximum: 'number',
    minLength: 'integer',
    maxLength: 'integer',
    pattern: 'string',
    example: 'value',
    default: 'value',
    anyOf: list(message('Schema')),
  },
  ToolConfig: {
    functionCallingConfig: message('FunctionCallingConfig'),
    retrievalConfig: 'struct',
    includeServerSideToolInvocations: 'boolean',
  },
  FunctionCallingConfig: {
    mode: words('Mode', 'MODE_UNSPECIFIED', 'AUTO', 'ANY', 'NONE', 'VALIDATED'),
    allowedFunctionNames: STRINGS,
  },
  SafetySetting: {
    category: words(
      'HarmCategory',
      ...prefixed(
        'HARM_CATEGORY_',
        ...['UNSPECIFIED', 'HARASSMENT', 'HATE_SPEECH', 'SEXUALLY_EXPLICIT', 'DANGEROUS_CONTENT', 'CIVIC_INTEGRITY'],
      ),
    ),
    threshold: words(
      'HarmBlockThreshold',
      ...['HARM_BLOCK_THRESHOLD_UNSPECIFIED', 'BLOCK_LOW_AND_ABOVE', 'BLOCK_MEDIUM_AND_ABOVE', 'BLOCK_ONLY_HIGH'],
      ...['BLOCK_NONE', 'OFF'],
    ),
  },
  GenerationConfig: {
    candidateCount: 'integer',
    stopSequences: STRINGS,
    maxOutputTokens: 'integer',
    temperature: 'number',
    topP: 'number',
    topK: 'integer',
    seed: 'integer',
    presencePenalty: 'number',
    frequencyPenalty: 'number',
    responseLogprobs: 'boolean',
    logprobs: 'integer',
    responseMimeType: 'string',
    responseSchema: message('Schema'),
    responseJsonSchema: 'value',
    responseModalities: list(words('Modality', 'MODALITY_UNSPECIFIED', 'TEXT', 'IMAGE', 'AUDIO')),
    mediaResolution: RESOLUTION,
    speechConfig: 'struct',
    imageConfig: 'struct',
    audioTranscriptionConfig: 'struct',
    thinkingConfig: message('ThinkingConfig'),
    enableEnhancedCivicAnswers: 'boolean',
  },
  ThinkingConfig: {
    includeThoughts: 'boolean',
    thinkingBudget: 'integer',
    thinkingLevel: words('ThinkingLevel', 'THINKING_LEVEL_UNSPECIFIED', 'MINIMAL', 'LOW', 'MEDIUM', 'HIGH', 'XHIGH'),
  },
};
