/** Words of the audit log, in Chinese. */
import type { en } from './words.en.ts';

export const zh = {
  about: '谁在何时改了什么。记录只增不改。',
  at: '时间',
  actor: '操作者',
  action: '操作',
  object: '对象',
  workspace: '工作区',
  account: '账户',
  from: '起始',
  to: '截止',
  request: '请求 ID',
  none: '还没有任何操作',
  none_found: '没有符合条件的操作',
  none_found_text: '去掉一个筛选条件，或放宽时间范围。',
  detail: '{{action}}：{{object}}',
  changed: '改动内容',
  field: '字段',
  before: '之前',
  after: '之后',
  nothing: '–',
  no_fields: '此记录没有字段。',
  ip: '调用方地址',
  open_request: '查看此请求',
  details: '查看改动',
} satisfies Record<keyof typeof en, string>;
