namespace Faster.Commits;

/// <summary>Phase and version of a store in one word, which every operation compares with what it saw last.</summary>
/// <remarks>
/// Bits 0–2 hold the phase, bit 3 says that the store is poisoned, the rest is the version: the one that is being
/// committed, and at rest the current one. Never 0. Immutable; thread-safe.
/// </remarks>
internal readonly record struct SystemState(long Word)
{
    private const int VersionShift = 4;
    private const long PoisonedBit = 8, PhaseMask = 7;

    /// <summary>A state.</summary>
    public SystemState(CommitPhase phase, long version, bool poisoned = false)
        : this((version << VersionShift) | (poisoned ? PoisonedBit : 0) | (long)phase)
    {
    }

    /// <summary>The phase.</summary>
    public CommitPhase Phase => (CommitPhase)(Word & PhaseMask);

    /// <summary>The version that is being committed; at rest the current one.</summary>
    public long Version => Word >> VersionShift;

    /// <summary>Whether a sync has failed, so that nothing may be written any more.</summary>
    public bool IsPoisoned => (Word & PoisonedBit) != 0;

    /// <summary>The version of an operation that begins in this state.</summary>
    public long OperationVersion => Phase >= CommitPhase.InProgress ? Version + 1 : Version;
}
