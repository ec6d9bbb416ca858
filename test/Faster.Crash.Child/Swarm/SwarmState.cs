namespace Faster.Crash.Swarm;

/// <summary>The state of a store after some operations, in the model. Not thread-safe.</summary>
internal sealed class SwarmState
{
    private readonly Dictionary<int, (SwarmValue Value, long Expiry)> _values = [];

    /// <summary>The keys that exist, or have expired.</summary>
    public IReadOnlyCollection<int> Keys => _values.Keys;

    /// <summary>Applies an operation.</summary>
    public void Apply(SwarmOperation operation)
    {
        (int key, long time) = (operation.Key, operation.Time);
        long renewed = operation.TimeToLive == 0 ? long.MaxValue : time + operation.TimeToLive;
        switch (operation.Act)
        {
            case SwarmAct.Put:
                _values[key] = (new SwarmValue(null, operation.Seed, operation.Length), renewed);
                break;
            case SwarmAct.Append:
                bool lives = _values.TryGetValue(key, out (SwarmValue Value, long Expiry) old) && old.Expiry > time;
                _values[key] = (
                    new SwarmValue(lives ? old.Value : null, operation.Seed, operation.Length),
                    lives && renewed == long.MaxValue ? old.Expiry : renewed);
                break;
            case SwarmAct.Delete:
                _values.Remove(key);
                break;
        }
    }

    /// <summary>The value of a key at a time, or null.</summary>
    public SwarmValue? Find(int key, long time) =>
        _values.TryGetValue(key, out (SwarmValue Value, long Expiry) state) && state.Expiry > time
            ? state.Value
            : null;
}

/// <summary>What was found for a key: bytes are compared by length and hash.</summary>
/// <param name="Length">Their number.</param>
/// <param name="Hash">Their hash.</param>
internal readonly record struct SwarmFound(int Length, ulong Hash)
{
    /// <summary>Makes it from bytes.</summary>
    public static SwarmFound Of(ReadOnlySpan<byte> bytes) => new(bytes.Length, SwarmValue.HashOf(bytes));

    /// <summary>Whether it is a value of the model, where null is absent.</summary>
    public static bool Same(SwarmFound? found, SwarmValue? value) => found is { } there
        ? value is not null && there.Length == value.Length && there.Hash == value.Hash
        : value is null;
}
