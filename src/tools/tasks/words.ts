import { openBlockers, type Task, type TaskGraph } from "../../mailbox/task-graph.ts";

/** One line of a list (A14.6): id, status, subject, owner, and what it waits for. */
export function taskLine(graph: TaskGraph, task: Task, reader: string): string {
  const blockers = openBlockers(graph, task);
  const notes = [
    ...(task.owner === null ? [] : [`owner: ${ownerWords(task.owner, reader)}`]),
    ...(blockers.length === 0 ? [] : [`blockedBy: ${blockers.join(", ")}`]),
  ];
  return `${task.id} [${task.status}] ${task.subject}${notes.length === 0 ? "" : ` (${notes.join("; ")})`}`;
}

/** Everything about one task. */
export function taskText(graph: TaskGraph, task: Task, reader: string): string {
  const others = (ids: readonly string[]) =>
    ids.map((id) => `${id} (${graph.tasks.get(id)?.status ?? "gone"})`).join(", ") || "none";
  return [
    `Task ${task.id}: ${task.subject}`,
    `status: ${task.status}`,
    `owner: ${task.owner === null ? "none" : ownerWords(task.owner, reader)}`,
    ...(task.activeForm === undefined ? [] : [`activeForm: ${task.activeForm}`]),
    `blocks: ${others(task.blocks)}`,
    `blockedBy: ${others(task.blockedBy)}`,
    ...(Object.keys(task.metadata).length === 0 ? [] : [`metadata: ${JSON.stringify(task.metadata)}`]),
    "",
    task.description,
  ].join("\n");
}

function ownerWords(owner: string, reader: string): string {
  return owner === reader ? `${owner}, which is you` : owner;
}
