import { openBlockers, type Task, type TaskGraph } from "../../journal/task-graph.ts";

/** Returns one line of a list (A14.6): ID, status, subject, owner, and what the task waits for. */
export function taskLine(graph: TaskGraph, task: Task, reader: string): string {
  const blockers = openBlockers(graph, task);
  const notes = [
    ...(task.owner === null ? [] : [`owner: ${ownerText(task.owner, reader)}`]),
    ...(blockers.length === 0 ? [] : [`blockedBy: ${blockers.join(", ")}`]),
  ];
  return `${task.id} [${task.status}] ${task.subject}${notes.length === 0 ? "" : ` (${notes.join("; ")})`}`;
}

/** Returns everything about one task. */
export function taskText(graph: TaskGraph, task: Task, reader: string): string {
  const others = (ids: readonly string[]) =>
    ids.map((id) => `${id} (${graph.tasks.get(id)?.status ?? "gone"})`).join(", ") || "none";
  return [
    `Task ${task.id}: ${task.subject}`,
    `status: ${task.status}`,
    `owner: ${task.owner === null ? "none" : ownerText(task.owner, reader)}`,
    ...(task.activeForm === undefined ? [] : [`activeForm: ${task.activeForm}`]),
    `blocks: ${others(task.blocks)}`,
    `blockedBy: ${others(task.blockedBy)}`,
    ...(Object.keys(task.metadata).length === 0 ? [] : [`metadata: ${JSON.stringify(task.metadata)}`]),
    "",
    task.description,
  ].join("\n");
}

function ownerText(owner: string, reader: string): string {
  return owner === reader ? `${owner}, which is you` : owner;
}
