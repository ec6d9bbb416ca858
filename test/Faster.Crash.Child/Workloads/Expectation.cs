using System.Buffers.Binary;

namespace Faster.Crash.Workloads;

/// <summary>What every key must hold when exactly the operations up to some points have happened.</summary>
/// <remarks>Not thread-safe.</remarks>
/// <param name="plan">What the sessions do.</param>
public sealed class Expectation(WorkloadPlan plan)
{
    private readonly Dictionary<string, IReadOnlyDictionary<int, byte[]>> _cache = new(StringComparer.Ordinal);

    /// <summary>The values of all keys that exist.</summary>
    public IReadOnlyDictionary<int, byte[]> At(IReadOnlyList<SessionPoint> points)
    {
        string text = SessionPoint.Format(points);
        if (_cache.TryGetValue(text, out IReadOnlyDictionary<int, byte[]>? known)) return known;
        var values = new Dictionary<int, byte[]>();
        for (int session = 0; session < plan.Sessions; session++)
        {
            for (long number = 1; number <= points[session].Serial; number++)
            {
                if (points[session].Covers(number)) Apply(plan.StepOf(session, number), values);
            }
        }

        foreach (int key in values.Keys.Where(k => k < plan.SharedKeys).ToArray()) values[key] = Canonical(values[key]);
        if (_cache.Count > 1000) _cache.Clear();
        return _cache[text] = values;
    }

    /// <summary>Compares a store with what it must hold at some points; returns what is wrong, or null.</summary>
    /// <param name="points">The points.</param>
    /// <param name="read">Reads a key; null when it does not exist.</param>
    public string? Compare(IReadOnlyList<SessionPoint> points, Func<int, byte[]?> read)
    {
        IReadOnlyDictionary<int, byte[]> expected = At(points);
        foreach (int key in plan.Keys)
        {
            byte[]? found = read(key), wanted = expected.GetValueOrDefault(key);
            if (found is not null && key < plan.SharedKeys) found = Canonical(found);
            if (found is null ? wanted is null : wanted is not null && found.AsSpan().SequenceEqual(wanted)) continue;
            return $"Key {key} is {Describe(found)}, but must be {Describe(wanted)} at {SessionPoint.Format(points)}.";
        }

        return null;
    }

    /// <summary>Applies a step to values in memory.</summary>
    public void Apply(Step step, IDictionary<int, byte[]> values)
    {
        ArgumentNullException.ThrowIfNull(step);
        ArgumentNullException.ThrowIfNull(values);
        switch (step.Kind)
        {
            case StepKind.Put:
                values[step.Key] = step.Value;
                break;
            case StepKind.Delete:
                values.Remove(step.Key);
                break;
            case StepKind.Add or StepKind.AwaitedAdd or StepKind.Unit:
                foreach (int key in step.Keys) Add(key, step.Value, values);
                break;
            case StepKind.Transfer:
                Add(step.Keys[0], plan.Bytes ? step.Value : Negative(step.Value), values);
                Add(step.Keys[1], step.Value, values);
                break;
        }
    }

    private static byte[] Negative(byte[] value) => BitConverter.GetBytes(-BitConverter.ToInt64(value));

    private void Add(int key, byte[] value, IDictionary<int, byte[]> values) =>
        values[key] = values.TryGetValue(key, out byte[]? old) ? Add(old, value) : value;

    private byte[] Add(byte[] old, byte[] value) => plan.Bytes
        ? [.. old, .. value]
        : BitConverter.GetBytes(BitConverter.ToInt64(old) + BitConverter.ToInt64(value));

    // Entries of several sessions may be in any order.
    private byte[] Canonical(byte[] value) =>
        plan.Bytes ? [.. Entries(value).OrderBy(e => e.Tag).SelectMany(e => e.Bytes)] : value;

    private string Describe(byte[]? value)
    {
        if (value is null) return "absent";
        if (!plan.Bytes) return BitConverter.ToInt64(value).ToString("x16", null);
        return "[" + string.Join(' ', Entries(value).Select(e => $"{e.Tag >> 48}.{e.Tag & 0xFFFFFFFFFFFF}")) + "]";
    }

    private static IEnumerable<(long Tag, byte[] Bytes)> Entries(byte[] value)
    {
        for (int at = 0; at < value.Length;)
        {
            int left = value.Length - at;
            int filling = left < WorkloadPlan.EntryPrefix
                ? -1
                : BinaryPrimitives.ReadInt32BigEndian(value.AsSpan(at + 8));
            int size = filling < 0 || filling > left - WorkloadPlan.EntryPrefix
                ? left // no entry: kept as it is, so that the comparison fails
                : WorkloadPlan.EntryPrefix + filling;
            long tag = left < 8 ? -1 : BinaryPrimitives.ReadInt64BigEndian(value.AsSpan(at));
            yield return (tag, value.AsSpan(at, size).ToArray());
            at += size;
        }
    }
}
