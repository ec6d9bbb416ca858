namespace Faster.Sessions;

/// <summary>
/// Sessions of a store that have ended and let go of their users: new ones are made of them, since most of what a
/// session costs is what it refers to.
/// </summary>
/// <remarks>Guarded by the registry's lock.</remarks>
internal sealed class EndedSessions
{
    private const int Most = 256; // as many sessions as are often open at a time

    private readonly Stack<SessionCore> _all = [];
    private bool _isClosed;

    /// <summary>Makes a new, unnamed session of one that has ended; null if there is none.</summary>
    /// <param name="makeEntry">Makes a registry's entry, where that of the old session is still asked for.</param>
    public SessionCore? TryRenew(Func<string?, SessionEntry> makeEntry)
    {
        if (!_all.TryPop(out SessionCore? ended)) return null;
        SessionEntry entry = ended.Entry!;
        if (!entry.TryRenew()) entry = makeEntry(null);
        return ended.Renew(entry);
    }

    /// <summary>Keeps a session, unless there are many.</summary>
    public void Keep(SessionCore ended)
    {
        if (_all.Count < Most && !_isClosed) _all.Push(ended);
    }

    /// <summary>Drops all, and keeps no more: the store is closing.</summary>
    public void Close()
    {
        _isClosed = true;
        _all.Clear();
    }
}
