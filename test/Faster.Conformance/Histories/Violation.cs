using System.Text;

namespace Faster.Conformance.Histories;

/// <summary>Why a key's history is not linearizable.</summary>
/// <typeparam name="TValue">The type of values and inputs.</typeparam>
public sealed class Violation<TValue>
{
    private readonly ValueModel<TValue> _model;
    private readonly RegisterState<TValue> _initial;

    internal Violation(
        ValueModel<TValue> model,
        RegisterState<TValue> initial,
        IReadOnlyList<Operation<TValue>> history,
        IReadOnlyList<Operation<TValue>> smallest,
        IReadOnlyList<Operation<TValue>> longestOrder)
    {
        _model = model;
        _initial = initial;
        History = history;
        Smallest = smallest;
        LongestOrder = longestOrder;
    }

    /// <summary>All operations of the key.</summary>
    public IReadOnlyList<Operation<TValue>> History { get; }

    /// <summary>
    /// The history up to the first answer that no order explains, without the reads that play no part. Operations that
    /// were answered later count as unanswered.
    /// </summary>
    public IReadOnlyList<Operation<TValue>> Smallest { get; }

    /// <summary>The longest order of operations of <see cref="Smallest"/> whose answers all fit.</summary>
    public IReadOnlyList<Operation<TValue>> LongestOrder { get; }

    /// <summary>The answer that no order explains.</summary>
    public Operation<TValue> Culprit => Smallest.Where(o => o.IsAnswered).MaxBy(o => o.Responded);

    /// <summary>The smallest history as a timeline, one operation a line.</summary>
    public override string ToString()
    {
        var text = new StringBuilder();
        string before = _initial.Present ? _model.Show(_initial.Value!) : "absent";
        text.Append($"Not linearizable; the key was {before} before. ");
        text.AppendLine($"{Smallest.Count} of {History.Count} operations:");
        long[] times = [.. Smallest.Select(o => o.Invoked).Concat(Smallest.Select(o => o.Responded))
            .Where(time => time != Operation<TValue>.Never).Distinct().Order()];
        foreach (Operation<TValue> operation in Smallest.OrderBy(o => o.Invoked))
        {
            string mark = operation == Culprit ? "   <- no order of the others explains this answer" : "";
            text.AppendLine($"  session {operation.Session,2} {Bar(operation, times)} {operation.Show(_model)}{mark}");
        }

        string order = string.Join(", ", LongestOrder.Select(o => o.Show(_model)));
        return text.Append($"  As far as it goes: {(order.Length == 0 ? "nothing" : order)}").ToString();
    }

    private static string Bar(Operation<TValue> operation, long[] times)
    {
        int begin = Array.BinarySearch(times, operation.Invoked);
        int end = operation.IsAnswered ? Array.BinarySearch(times, operation.Responded) : times.Length;
        string line = new string(' ', begin) + '[' + new string('-', Math.Max(0, end - begin - 1));
        line += operation.IsAnswered ? "]" : "…";
        return line.PadRight(times.Length + 1);
    }
}
