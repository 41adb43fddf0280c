/** Words of the members' page, in Chinese. */
import type { en } from './words.en.ts';

export const zh = {
  about: '可以打开此控制台的人，每人有自己的令牌和角色。',
  add: '添加成员',
  add_do: '添加',
  role: '角色',
  role_account_admin: '所有工作区的一切权限。',
  role_workspace_admin: '一个工作区：其密钥、凭证、路由和追踪。',
  role_member: '可查询一个工作区的请求，但看不到追踪。',
  made: '{{name}} 现在可以登录了',
  made_text: '请通过安全的途径转交此令牌。{{name}} 用它在 {{address}} 登录。',
  token: '成员令牌',
  edit: '修改 {{name}}',
  saved: '已修改 {{name}}',
  remove: '移除 {{name}}',
  remove_text: '{{name}} 的令牌立即失效，用它打开的会话也会结束。{{name}} 做过的事仍保留在审计日志中。',
  removed: '已移除 {{name}}',
  none: '还没有成员',
  none_text: '目前只有持有管理员令牌的人可以登录。给每个人自己的令牌，审计日志就能记下是谁做的。',
  you: '您',
} satisfies Record<keyof typeof en, string>;
