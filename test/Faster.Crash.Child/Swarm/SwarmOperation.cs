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
/// <param name="Number">Its place among all of the store, over all lives.</param>
/// <param name="Client">Which session issued it.</param>
/// <param name="Serial">Its serial number; those of one atomic batch share it.</param>
/// <param name="Act">What it does.</param>
/// <param name="Key">To which key.</param>
/// <param name="Seed">Makes its bytes.</param>
/// <param name="Length">How many.</param>
/// <param name="Time">The store's clock, in Unix milliseconds.</param>
/// <param name="TimeToLive">For how many milliseconds what it writes lives; 0: forever.</param>
internal sealed record SwarmOperation(
    long Number, SwarmClient Client, long Serial, SwarmAct Act, int Key, uint Seed, int Length, long Time,
    long TimeToLive)
{
    /// <inheritdoc/>
    public override string ToString() => $"operation {Number} ({Act} of {Length} bytes, {Client} at {Serial})";
}

/// <summary>A session as the model has it, over all lives in which it is continued. Not thread-safe.</summary>
/// <param name="id">Tells clients apart; one name may belong to several in turn, when it was forgotten between.</param>
/// <param name="name">Its name, or null.</param>
internal sealed class SwarmClient(int id, string? name)
{
    /// <summary>Tells clients apart.</summary>
    public int Id => id;

    /// <summary>The session's name, or null.</summary>
    public string? Name => name;

    /// <summary>The number of its last operation.</summary>
    public long Issued { get; set; }

    /// <summary>What it was last told to be durable.</summary>
    public CommitPoint? Told { get; set; }

    /// <summary>The numbers below its point that a recovery has left out, and that it has not issued again.</summary>
    public SortedSet<long> Missing { get; } = [];

    /// <summary>All numbers that a recovery has ever left out: commits may go on listing them.</summary>
    public HashSet<long> LeftOut { get; } = [];

    /// <summary>Whether it was forgotten: commits may know it, or not.</summary>
    public bool IsForgotten { get; set; }

    /// <inheritdoc/>
    public override string ToString() => $"'{name ?? "unnamed"}'#{id}";
}
