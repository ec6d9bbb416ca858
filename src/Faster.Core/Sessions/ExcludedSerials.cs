namespace Faster.Sessions;

/// <summary>
/// The serial numbers up to a session's commit points whose effects the commits do not hold: those of operations that
/// are pending in relaxed order, and those that a recovered commit excluded. The client owes the latter until it issues
/// them again.
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>A number is listed from the moment at which its operation goes pending until it was carried out; if that was
/// in a later version, until the commit of that version.</item>
/// <item>A number that a recovered commit excluded is listed until the client has issued it again.</item>
/// <item>The numbers of a commit ascend and are at or below its point.</item>
/// </list>
/// <para>Thread-safe: a short lock, under which no thread waits.</para>
/// </remarks>
/// <param name="tracks">Whether pending operations may be carried out in a later version (relaxed order).</param>
internal sealed class ExcludedSerials(bool tracks)
{
    private const long Owed = 0;      // no operation of this process has the number yet
    private const long Reissued = -1; // one has: in every version, its effect is later than the commit that excluded it

    private readonly Lock _lock = new();
    private readonly Dictionary<long, long> _waiting = []; // number → version in which it was accepted
    private readonly Dictionary<long, long> _late = [];    // number → version in which it took effect

    /// <summary>Whether no number is listed.</summary>
    public bool IsEmpty
    {
        get
        {
            lock (_lock) return _waiting.Count == 0 && _late.Count == 0;
        }
    }

    /// <summary>Takes over the numbers that a recovered commit excluded.</summary>
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

    /// <summary>Records that an operation, accepted in a version, is pending.</summary>
    public void Begin(long number, long version)
    {
        if (!tracks) return;
        lock (_lock)
        {
            bool isReissued = _waiting.TryGetValue(number, out long old) && old == Owed;
            _waiting[number] = isReissued ? Reissued : version;
        }
    }

    /// <summary>
    /// Records that an operation was carried out, in a version that may be later than that of its acceptance.
    /// </summary>
    /// <returns>Whether the version is later, so that a commit may have excluded the operation.</returns>
    public bool Settle(long number, long version)
    {
        lock (_lock)
        {
            if (!_waiting.Remove(number, out long accepted) || version <= accepted) return false;
            _late[number] = version;
            return true;
        }
    }

    /// <summary>The numbers that the commit of a version excludes, up to a point, ascending.</summary>
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
