/** Chinese words of a question that say nothing about what is searched for. */
const STOP: readonly string[] = (
  "哪里 哪儿 哪个 哪些 哪 什么 怎么样 怎么 怎样 如何 为什么 为何 是否 吗 呢 吧 啊 的 了 在 是 和 与 或者 或 及 以及 并且 并 都 被 把 将 从 到 对 给 " +
  "请问 请 帮我 帮 告诉我 告诉 解释 说明 一下 查找 寻找 找到 找出 找 看看 列出 这个 那个 这些 那些 这里 那里 我们 我 你 您 它们 它 他 她 其 该 " +
  "有没有 有 没有 会 能 可以 应该 需要 要 想 知道 负责 具体 一个 一些 所有 每个 时候 时 里面 里 中 上 下 内 之间 之 后 前 于 由 以 用来 用于 用 进行 " +
  "项目 仓库 代码库 代码 地方 位置 部分 东西 如果 那么 就 也 还 又 才 不 几 多少 谁 何时 何处 何 处 发生 决定 你好 谢谢 做 地 得 着 过 这 那"
).split(" ");

/** What a Chinese word is called in code, most usual first. */
const ENGLISH: readonly (readonly [string, string])[] = (
  "函数=function 方法=method 定义=define 声明=declare 实现=implement 配置=config 设置=settings 错误=error 异常=exception 失败=failure 测试=test 线程=thread " +
  "进程=process 消息=message 邮件=mail 信箱=mailbox 邮箱=mailbox 结束=end 终止=terminate 停止=stop 取消=cancel 开始=start 启动=start 代理=agent 智能体=agent 子代理=agent " +
  "格式=format 线路=wire 传输=transport 协议=protocol 解析=parse 解析器=parser 序列化=serialize 反序列化=deserialize 编码=encode 解码=decode 权限=permission 规则=rule 请求=request " +
  "响应=response 回复=reply 服务器=server 服务=service 客户端=client 用户=user 登录=login 密码=password 认证=auth 授权=authorize 会话=session 令牌=token 缓存=cache 队列=queue " +
  "数据库=database 数据=data 表=table 查询=query 索引=index 文件夹=folder 目录=directory 文件=file 路径=path 读取=read 写入=write 写=write 读=read 编辑=edit 删除=delete 创建=create " +
  "更新=update 添加=add 追加=append 替换=replace 插入=insert 搜索=search 过滤=filter 排序=sort 合并=merge 冲突=conflict 分支=branch 提交=commit 工作树=worktree 快照=snapshot 日志=log " +
  "日记=journal 记录=record 事件=event 监听=listen 通知=notification 回调=callback 钩子=hook 插件=plugin 模块=module 接口=interface 类型=type 类=class 对象=object 数组=array 列表=list " +
  "字符串=string 字节=byte 数字=number 变量=variable 常量=constant 参数=parameter 返回值=return 返回=return 调用=call 使用=use 引用=reference 导入=import 导出=export 编译=compile 构建=build " +
  "运行=run 执行=execute 命令行=cli 命令=command 工具=tool 模型=model 网关=gateway 提示词=prompt 提示=prompt 上下文=context 摘要=summary 总结=summary 状态=status 预算=budget 限制=limit " +
  "上限=max 最大=max 最小=min 超时=timeout 重试=retry 等待=wait 延迟=delay 时间=time 时钟=clock 计时器=timer 定时=timer 随机=random 种子=seed 标识=id 名称=name 名字=name 版本=version " +
  "依赖=dependency 安装=install 部署=deploy 环境变量=env 环境=environment 网络=network 连接=connect 端口=port 地址=address 套接字=socket 流=stream 缓冲=buffer 锁=lock 并发=concurrent " +
  "并行=parallel 异步=async 同步=sync 任务=task 调度=schedule 工作者=worker 池=pool 内存=memory 泄漏=leak 性能=performance 安全=security 加密=encrypt 解密=decrypt 签名=sign 校验=validate " +
  "验证=validate 检查=check 计算=compute 转换=convert 渲染=render 显示=display 打印=print 输出=output 输入=input 界面=ui 页面=page 组件=component 按钮=button 样式=style 路由=route " +
  "中间件=middleware 控制器=controller 模板=template 文档=doc 注释=comment 许可=license 价格=price 费用=cost 订单=order 支付=payment 监督者=supervisor 主管=supervisor 监督=supervise " +
  "角色=actor 演员=actor 生成=generate 派生=spawn 发送=send 接收=receive 保存=save 加载=load 恢复=resume 重启=restart 崩溃=crash 关闭=close 打开=open 注册=register 默认=default 树=tree " +
  "节点=node 图=graph 循环=loop 递归=recursive 匹配=match 正则=regex 引号=quote 转义=escape 行=line 块=block 长度=length 大小=size 数量=count 计数=count 顺序=order 优先级=priority"
)
  .split(" ")
  .map((pair): readonly [string, string] => {
    const [chinese = "", english = ""] = pair.split("=");
    return [chinese, english];
  });

export interface ChineseWord {
  readonly text: string;
  readonly english: string | undefined;
}

/**
 * Cuts a run of Chinese at the longest words known here, from the left. What stands between them is kept
 * whole: it may be a name that the documents use.
 */
export function chineseWords(run: string): ChineseWord[] {
  const words: ChineseWord[] = [];
  let unknown = "";
  const flush = () => {
    if (unknown.length > 1) words.push({ text: unknown, english: undefined });
    unknown = "";
  };
  for (let at = 0; at < run.length; ) {
    const known = longestAt(run, at);
    if (known === undefined) {
      unknown += run.charAt(at);
      at += 1;
      continue;
    }
    flush();
    if (!known.stop) words.push({ text: known.text, english: known.english });
    at += known.text.length;
  }
  flush();
  return words;
}

interface Known extends ChineseWord {
  readonly stop: boolean;
}

const LEXICON: ReadonlyMap<string, Known> = new Map<string, Known>([
  ...STOP.map((text): [string, Known] => [text, { text, english: undefined, stop: true }]),
  ...ENGLISH.map(([text, english]): [string, Known] => [text, { text, english, stop: false }]),
]);

const LONGEST = 5;

function longestAt(run: string, at: number): Known | undefined {
  for (let length = LONGEST; length > 0; length--) {
    const found = LEXICON.get(run.slice(at, at + length));
    if (found) return found;
  }
  return undefined;
}
