namespace Faster.Commits;

/// <summary>Phase, version, and poisoned bit of a store in one word, which a session reads when it refreshes.</summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>Phases follow each other in their order (<see cref="MayFollow"/>); the version rises by one when a commit that
/// has passed InProgress returns to rest.</item>
/// <item>A poisoned store stays poisoned.</item>
/// <item>The word is never 0.</item>
/// </list>
/// <para>A session at rest does not compare the word in each operation: it notes its epoch as quiet, and reads the word
/// again only in a later epoch. Bits 0–2 hold the phase, bit 3 says that the store is poisoned, the rest is the
/// version: during a commit the one being committed, at rest the current one. Immutable; thread-safe.</para>
/// </remarks>
internal readonly record struct SystemState(long Word)
{
    private const int VersionShift = 4;
    private const long PoisonedBit = 8, PhaseMask = 7;

    /// <summary>Packs a phase, a version, and the poisoned bit into a word.</summary>
    public SystemState(CommitPhase phase, long version, bool poisoned = false)
        : this((version << VersionShift) | (poisoned ? PoisonedBit : 0) | (long)phase)
    {
    }

    /// <summary>The phase of the commit under way, or <see cref="CommitPhase.Rest"/>.</summary>
    public CommitPhase Phase => (CommitPhase)(Word & PhaseMask);

    /// <summary>The version being committed; at rest the current one.</summary>
    public long Version => Word >> VersionShift;

    /// <summary>Whether a sync has failed, so that nothing may be written any more.</summary>
    public bool IsPoisoned => (Word & PoisonedBit) != 0;

    /// <summary>The version of an operation that begins in this state.</summary>
    public long OperationVersion => Phase >= CommitPhase.InProgress ? Version + 1 : Version;

    /// <summary>
    /// Whether this state may be published after another one: the next phase; after a failure, the way back to rest; at
    /// rest, that the store is poisoned.
    /// </summary>
    public bool MayFollow(SystemState before)
    {
        if (before.IsPoisoned && !IsPoisoned) return false;
        bool mayReturn = before.Phase is CommitPhase.Rest or CommitPhase.Prepare or CommitPhase.WaitFlush
            or CommitPhase.Resume;
        return Phase switch
        {
            CommitPhase.Rest => mayReturn && Version == before.OperationVersion,
            CommitPhase.Resume => before.Phase is >= CommitPhase.InProgress and < CommitPhase.Resume
                && Version == before.Version,
            _ => Phase == before.Phase + 1 && Version == before.Version,
        };
    }
}
