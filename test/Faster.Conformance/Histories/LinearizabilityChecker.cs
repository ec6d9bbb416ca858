using System.Numerics;

namespace Faster.Conformance.Histories;

/// <summary>
/// Decides whether the history of one key is linearizable: whether its operations can be put into one order that
/// respects real time and gives every answer (Wing and Gong's search with Lowe's memory of visited configurations).
/// </summary>
/// <typeparam name="TValue">The type of values and inputs.</typeparam>
/// <remarks>
/// At most 64 operations a key; the cost grows with how many of them are concurrent (some eight are fine). An operation
/// without an answer may have happened at any time after it was issued, or not at all. A search that exceeds the
/// configuration limit throws, so a pass is always a proof. Not thread-safe.
/// </remarks>
public sealed class LinearizabilityChecker<TValue>
{
    /// <summary>The most operations of one key.</summary>
    public const int MaxOperations = 64;

    private readonly ValueModel<TValue> _model;
    private readonly int _maxConfigurations;
    private readonly HashSet<Configuration> _visited;
    private readonly int[] _order = new int[MaxOperations];
    private int[] _longest = [];
    private Operation<TValue>[] _history = [];
    private ulong _answered;
    private ulong _answeredReads;
    private readonly ulong[] _resets = new ulong[MaxOperations]; // for each read, the resets that may come before it

    /// <summary>Makes a checker.</summary>
    /// <param name="model">What operations do.</param>
    /// <param name="maxConfigurations">How many configurations a search may visit.</param>
    public LinearizabilityChecker(ValueModel<TValue> model, int maxConfigurations = 1 << 21)
    {
        _model = model;
        _maxConfigurations = maxConfigurations;
        _visited = new(new ConfigurationComparer(model.Equality));
    }

    /// <summary>Checks one key's history.</summary>
    /// <param name="history">Its operations in any order.</param>
    /// <param name="initial">The key's state before the first of them.</param>
    /// <returns>Null when the history is linearizable, or why it is not.</returns>
    /// <exception cref="ArgumentException">There are more than 64 operations.</exception>
    /// <exception cref="InvalidOperationException">The search exceeded its limit: nothing is known.</exception>
    public Violation<TValue>? Check(IEnumerable<Operation<TValue>> history, RegisterState<TValue> initial = default)
    {
        Operation<TValue>[] operations = [.. history.OrderBy(operation => operation.Invoked)];
        if (IsLinearizable(operations, initial)) return null;
        Operation<TValue>[] smallest = Shrink(operations, initial);
        IsLinearizable(smallest, initial); // finds the longest order once more
        return new(_model, initial, operations, smallest, [.. _longest.Select(number => smallest[number])]);
    }

    /// <summary>Whether a history is linearizable, without an explanation.</summary>
    internal bool IsLinearizable(Operation<TValue>[] history, RegisterState<TValue> initial)
    {
        // An unanswered read constrains nothing.
        int count = history.Count(operation => operation.IsAnswered || operation.Kind != OperationKind.Read);
        if (count > MaxOperations)
            throw new ArgumentException($"{count} operations; the checker takes {MaxOperations}.", nameof(history));
        _history = count == history.Length
            ? history
            : [.. history.Where(operation => operation.IsAnswered || operation.Kind != OperationKind.Read)];
        _answered = 0;
        _answeredReads = 0;
        for (int i = 0; i < count; i++)
        {
            if (!_history[i].IsAnswered) continue;
            _answered |= 1UL << i;
            if (_history[i].Kind != OperationKind.Read) continue;
            _answeredReads |= 1UL << i;
            _resets[i] = ResetsBefore(_history[i].Responded);
        }

        _visited.Clear();
        _longest = [];
        return Explore(0, initial);
    }

    private bool Explore(ulong done, RegisterState<TValue> state)
    {
        int depth = BitOperations.PopCount(done);
        if (depth > _longest.Length) _longest = [.. _order.AsSpan(0, depth)];
        if ((_answered & ~done) == 0) return true;
        if (IsHopeless(done, state) || !_visited.Add(new(done, state, MayBeSeen(done, state)))) return false;
        if (_visited.Count > _maxConfigurations)
        {
            throw new InvalidOperationException(
                $"Gave up after {_maxConfigurations} configurations: make fewer operations of one key concurrent.");
        }

        ulong candidates = Candidates(done);
        if (TryReadAtOnce(candidates, state, out int read)) return Continue(done, read, state);
        for (; candidates != 0; candidates &= candidates - 1)
        {
            int number = BitOperations.TrailingZeroCount(candidates);
            if (_history[number].Kind == OperationKind.Read) continue;
            if (!state.TryApply(_history[number], _model, out RegisterState<TValue> next)) continue;
            if (Continue(done, number, next)) return true;
        }

        return false;
    }

    private bool Continue(ulong done, int number, RegisterState<TValue> next)
    {
        _order[BitOperations.PopCount(done)] = number;
        return Explore(done | (1UL << number), next);
    }

    /// <summary>
    /// The operations that may come next: issued before the first answer among those that are not ordered yet.
    /// </summary>
    private ulong Candidates(ulong done)
    {
        ulong left = (_history.Length == 64 ? ulong.MaxValue : (1UL << _history.Length) - 1) & ~done;
        long horizon = long.MaxValue;
        for (ulong rest = left & _answered; rest != 0; rest &= rest - 1)
            horizon = Math.Min(horizon, _history[BitOperations.TrailingZeroCount(rest)].Responded);
        ulong candidates = 0;
        for (ulong rest = left; rest != 0; rest &= rest - 1)
        {
            int number = BitOperations.TrailingZeroCount(rest);
            if (_history[number].Invoked <= horizon) candidates |= 1UL << number;
        }

        return candidates;
    }

    private ulong ResetsBefore(long time)
    {
        ulong resets = 0;
        for (int i = 0; i < _history.Length; i++)
        {
            bool isReset = _history[i].Kind is OperationKind.Upsert or OperationKind.Delete;
            if (isReset && _history[i].Invoked <= time) resets |= 1UL << i;
        }

        return resets;
    }

    /// <summary>
    /// Whether a read that is not ordered yet can no longer be answered: nothing that replaces the value may come
    /// before it, and updates alone do not lead from this state to what it found. Without this, the orders of
    /// concurrent appends explode.
    /// </summary>
    private bool IsHopeless(ulong done, RegisterState<TValue> state)
    {
        if (!state.Present) return false;
        for (ulong reads = _answeredReads & ~done; reads != 0; reads &= reads - 1)
        {
            int read = BitOperations.TrailingZeroCount(reads);
            if ((_resets[read] & ~done) != 0) continue;
            if (!_history[read].Found || !_model.MayBecome(state.Value!, _history[read].Result!)) return true;
        }

        return false;
    }

    /// <summary>
    /// Whether a read that is not ordered yet may find the value, or what updates make of it. If none may, all values
    /// are alike: each must be gone before the next read. Without this, the orders of appends that no read observes
    /// explode.
    /// </summary>
    private bool MayBeSeen(ulong done, RegisterState<TValue> state)
    {
        if (!state.Present) return false;
        for (ulong reads = _answeredReads & ~done; reads != 0; reads &= reads - 1)
        {
            ref readonly Operation<TValue> read = ref _history[BitOperations.TrailingZeroCount(reads)];
            if (read.Found && _model.MayBecome(state.Value!, read.Result!)) return true;
        }

        return false;
    }

    /// <summary>A read that fits now may as well come now: it changes nothing for the others.</summary>
    private bool TryReadAtOnce(ulong candidates, RegisterState<TValue> state, out int read)
    {
        for (; candidates != 0; candidates &= candidates - 1)
        {
            read = BitOperations.TrailingZeroCount(candidates);
            if (_history[read].Kind == OperationKind.Read && state.TryApply(_history[read], _model, out _)) return true;
        }

        read = -1;
        return false;
    }

    /// <summary>
    /// The history up to the first answer that makes it impossible, without the reads that play no part in it.
    /// </summary>
    private Operation<TValue>[] Shrink(Operation<TValue>[] history, RegisterState<TValue> initial)
    {
        Operation<TValue>[] smallest = history;
        foreach (long time in history.Where(o => o.IsAnswered).Select(o => o.Responded).Order())
        {
            smallest = [.. history.Where(o => o.Invoked <= time).Select(o => CutAt(o, time))];
            if (!IsLinearizable(smallest, initial)) break;
        }

        for (int i = smallest.Length - 1; i >= 0; i--)
        {
            if (smallest[i].Kind != OperationKind.Read) continue;
            Operation<TValue>[] without = [.. smallest[..i], .. smallest[(i + 1)..]];
            if (!IsLinearizable(without, initial)) smallest = without;
        }

        return smallest;
    }

    private static Operation<TValue> CutAt(Operation<TValue> operation, long time) =>
        operation.Responded <= time ? operation : operation with { Responded = Operation<TValue>.Never };

    private readonly record struct Configuration(ulong Done, RegisterState<TValue> State, bool IsSeen);

    // Values that no read may find are alike.
    private sealed class ConfigurationComparer(IEqualityComparer<TValue> values) : IEqualityComparer<Configuration>
    {
        public bool Equals(Configuration x, Configuration y) =>
            (x.Done, x.State.Present, x.IsSeen) == (y.Done, y.State.Present, y.IsSeen)
            && (!x.IsSeen || values.Equals(x.State.Value!, y.State.Value!));

        public int GetHashCode(Configuration obj) =>
            HashCode.Combine(obj.Done, obj.State.Present, obj.IsSeen ? values.GetHashCode(obj.State.Value!) : 0);
    }
}
