namespace Faster.Crash.Swarm;

/// <summary>What an operation of the swarm does.</summary>
internal enum SwarmAct
{
    /// <summary>Replaces a value.</summary>
    Put,

    /// <summary>Read-modify-write: appends to a value.</summary>
    Append,

    /// <summary>Deletes a key.</summary>
    Delete,

    /// <summary>Reads: it has a number, and changes nothing.</summary>
    Read,
}

/// <summary>One operation that was issued.</summary>
/// <param name="Number">Its position among all operations of the store, over all lives.</param>
/// <param name="Client">Which session issued it.</param>
/// <param name="Serial">Its serial number; those of one atomic batch share it.</param>
/// <param name="Act">What it does.</param>
/// <param name="Key">Its key.</param>
/// <param name="Seed">The seed of its bytes.</param>
/// <param name="Length">How many bytes.</param>
/// <param name="Time">The store's clock, in Unix milliseconds.</param>
/// <param name="TimeToLive">The time to live of what it writes, in milliseconds; 0: it never expires.</param>
internal sealed record SwarmOperation(
    long Number, SwarmClient Client, long Serial, SwarmAct Act, int Key, uint Seed, int Length, long Time,
    long TimeToLive)
{
    /// <inheritdoc/>
    public override string ToString() => $"operation {Number} ({Act} of {Length} bytes, {Client} at {Serial})";
}

/// <summary>A session in the model, over all lives in which it is continued. Not thread-safe.</summary>
/// <param name="id">
/// Distinguishes clients; one name may belong to several in turn, if it was forgotten in between.
/// </param>
/// <param name="name">Its name, or null.</param>
internal sealed class SwarmClient(int id, string? name)
{
    /// <summary>Distinguishes clients.</summary>
    public int Id => id;

    /// <summary>The session's name, or null.</summary>
    public string? Name => name;

    /// <summary>The number of its last operation.</summary>
    public long Issued { get; set; }

    /// <summary>The last point that was reported to it.</summary>
    public CommitPoint? Told { get; set; }

    /// <summary>The numbers below its point that a recovery has excluded, and that it has not issued again.</summary>
    public SortedSet<long> Missing { get; } = [];

    /// <summary>All numbers that a recovery has ever excluded: commits may go on listing them.</summary>
    public HashSet<long> ExcludedSerials { get; } = [];

    /// <summary>Whether it was forgotten: commits may list it or not.</summary>
    public bool IsForgotten { get; set; }

    /// <inheritdoc/>
    public override string ToString() => $"'{name ?? "unnamed"}'#{id}";
}
