namespace Faster.Sessions;

/// <summary>
/// The numbers up to a session's commit points whose effects the commits do not hold: of operations that wait in
/// relaxed order, and of those that an earlier process has not come to, which the client owes until it issues them
/// again.
/// </summary>
/// <remarks>Thread-safe: a short lock, in which nobody waits.</remarks>
/// <param name="tracks">Whether operations that wait may be carried out in a later version.</param>
internal sealed class LeftOut(bool tracks)
{
    private const long Owed = 0;      // no operation of this process has the number yet
    private const long Reissued = -1; // one has: its effect is later than the commit that left it out, in any version

    private readonly Lock _lock = new();
    private readonly Dictionary<long, long> _waiting = []; // number → version of acceptance
    private readonly Dictionary<long, long> _late = [];    // number → version of the effect

    /// <summary>Takes over what a recovered commit has left out.</summary>
    public void Owe(IReadOnlyList<long> numbers)
    {
        lock (_lock)
        {
            foreach (long number in numbers) _waiting[number] = Owed;
        }
    }

    /// <summary>Whether the client owes the operation of a number, and has not issued it again.</summary>
    public bool Owes(long number)
    {
        lock (_lock) return _waiting.TryGetValue(number, out long version) && version == Owed;
    }

    /// <summary>An operation waits that was accepted in a version.</summary>
    public void Begin(long number, long version)
    {
        if (!tracks) return;
        lock (_lock)
        {
            bool isReissued = _waiting.TryGetValue(number, out long old) && old == Owed;
            _waiting[number] = isReissued ? Reissued : version;
        }
    }

    /// <summary>An operation is carried out, in a version that may be later than that of its acceptance.</summary>
    /// <returns>Whether it is, so that a commit may have left it out.</returns>
    public bool Settle(long number, long version)
    {
        lock (_lock)
        {
            if (!_waiting.Remove(number, out long accepted) || version <= accepted) return false;
            _late[number] = version;
            return true;
        }
    }

    /// <summary>What the commit of a version leaves out up to a point, ascending.</summary>
    public IReadOnlyList<long> From(long version, long point)
    {
        lock (_lock)
        {
            if (_waiting.Count == 0 && _late.Count == 0) return [];
            foreach (long old in _late.Where(late => late.Value <= version).Select(late => late.Key).ToArray())
                _late.Remove(old);
            return [.. _waiting.Keys.Concat(_late.Keys).Where(number => number <= point).Order()];
        }
    }
}
