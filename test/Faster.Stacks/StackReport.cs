using System.Globalization;
using Microsoft.Diagnostics.Runtime;

namespace Faster.Stacks;

/// <summary>What a process is doing: where each managed thread is, and which asynchronous methods wait.</summary>
internal static class StackReport
{
    private const int CompletedTask = 0x1600000; // Task.m_stateFlags: faulted, canceled, or run to its end
    private const string Box = "AsyncStateMachineBox<";
    private const string Own = "Faster.";

    /// <summary>
    /// Writes the stacks of all managed threads, those that run this project's code first; threads of the same stack
    /// share one.
    /// </summary>
    public static void WriteThreads(ClrRuntime runtime, TextWriter to)
    {
        var stacks = runtime.Threads.Where(static thread => thread.IsAlive)
            .GroupBy(static thread => string.Join('\n', Frames(thread)), static thread => thread.OSThreadId)
            .OrderByDescending(static stack => stack.Key.Contains(Own, StringComparison.Ordinal));
        foreach (IGrouping<string, uint> stack in stacks)
        {
            to.WriteLine($"Threads {string.Join(", ", stack)}:");
            to.WriteLine(stack.Key.Length == 0 ? "   (no managed frame)" : stack.Key);
        }
    }

    /// <summary>Writes which asynchronous methods have not ended, and how often: no thread shows them.</summary>
    /// <remarks>One that waits for what nothing refers to is missing once the collector has run.</remarks>
    public static void WriteWaitingMethods(ClrRuntime runtime, TextWriter to)
    {
        var waiting = new SortedDictionary<string, int>(StringComparer.Ordinal);

        // Carefully: threads were stopped anywhere, and what one of them was allocating ends a careless walk.
        foreach (ClrObject item in runtime.Heap.EnumerateObjects(carefully: true))
        {
            if (item.Type?.Name is not { } name || !name.Contains(Box, StringComparison.Ordinal)) continue;
            if (item.Type.GetFieldByName("m_stateFlags") is null) continue;
            if ((item.ReadField<int>("m_stateFlags") & CompletedTask) != 0) continue;
            string method = name[(name.IndexOf(Box, StringComparison.Ordinal) + Box.Length)..];
            waiting[method] = waiting.GetValueOrDefault(method) + 1;
        }

        to.WriteLine("Asynchronous methods that have not ended:");
        foreach ((string method, int count) in waiting)
            to.WriteLine(string.Create(CultureInfo.InvariantCulture, $"   {count} x {method}"));
    }

    private static IEnumerable<string> Frames(ClrThread thread) => thread.EnumerateStackTrace()
        .Where(static frame => frame.Method is not null).Select(static frame => $"   {frame.Method!.Signature}");
}
