namespace Faster.Engines.Transactional.Capture;

/// <summary>What one session captures of the version being committed.</summary>
/// <remarks>
/// Space for all records of an attempt is reserved before the first is captured, so an attempt captures all or nothing.
/// Not thread-safe: it belongs to the session, except for <see cref="Part"/>, which <see cref="Captures"/> takes when
/// no session captures anything.
/// </remarks>
/// <param name="all">The captures of all sessions.</param>
internal sealed class SessionCaptures(Captures all)
{
    private int _last; // where the last record begins

    /// <summary>The part that the session fills; or null.</summary>
    public CapturedPart? Part { get; set; }

    /// <summary>The bytes that were last refused.</summary>
    public long Wanted { get; private set; }

    /// <summary>The captures of all sessions.</summary>
    public Captures All => all;

    /// <summary>Reserves space for what the attempt captures.</summary>
    /// <param name="bytes">The bytes.</param>
    /// <param name="version">The version being committed.</param>
    /// <returns>False: leave the epoch, wait until <see cref="Captures.MayGoOn"/>, and try again.</returns>
    public bool TryReserve(long bytes, long version)
    {
        if (bytes == 0) return true;
        if (Part is { } part && part.Version == version && part.Copies.Bytes + bytes <= part.Bytes) return true;
        Wanted = bytes;
        return all.TryTurn(this, bytes, version);
    }

    /// <summary>Captures a record, for which there is space.</summary>
    public void Add(ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
    {
        _last = Part!.Copies.Bytes;
        Part.Copies.Add(key, value);
    }

    /// <summary>Takes the last record out again: another one has captured it.</summary>
    public void DropLast() => Part!.Copies.Truncate(_last);
}
