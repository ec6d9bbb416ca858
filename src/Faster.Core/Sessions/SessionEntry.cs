using Faster.Contracts;
using Faster.Epochs;

namespace Faster.Sessions;

/// <summary>
/// What a store knows of a session: of an unnamed one while it is open, of a named one until it is forgotten. A session
/// that goes on under its name takes over the entry, so that commits under way find the new session by it.
/// </summary>
/// <remarks>Guarded by the registry's lock, but for <see cref="LeftOut"/>, which is thread-safe.</remarks>
internal sealed class SessionEntry<TProbe>(string? name, LeftOut leftOut)
    where TProbe : struct, IProbe
{
    /// <summary>The name, or null.</summary>
    public string? Name => name;

    /// <summary>The open session; null when it has ended.</summary>
    public SessionCore<TProbe>? Holder { get; set; }

    /// <summary>The last serial number of a session that has ended.</summary>
    public long Serial { get; set; }

    /// <summary>The commit point that it had noted.</summary>
    public long Point { get; set; }

    /// <summary>The version for which it had.</summary>
    public long PointVersion { get; set; }

    /// <summary>The point in the newest commit that has one, of this process or recovered; else null.</summary>
    public CommitPoint? Committed { get; set; }

    /// <summary>What commits leave out up to the point.</summary>
    public LeftOut LeftOut => leftOut;

    /// <summary>Lets a session begin where an earlier one of the name has ended, or a commit has left it.</summary>
    public unsafe void ContinueOn(EpochSlot* slot) =>
        (slot->Serial, slot->Point, slot->PointVersion) = (Serial, Point, PointVersion);
}
