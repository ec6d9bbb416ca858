using System.ComponentModel;
using Faster.LogSessions;
using Faster.Sessions;
using Faster.Stores;

namespace Faster.Engines;

/// <summary>
/// A session of the FASTER store. Emitted code derives the session type with the user's key and value types from it.
/// </summary>
/// <remarks>As <see cref="HashSession"/>.</remarks>
[EditorBrowsable(EditorBrowsableState.Never)]
public class FasterSession : HashSession
{
    internal FasterSession(FasterStore store, string? name, SessionEntry? entry = null)
        : base(store.Core, name, entry)
    {
    }

    /// <summary>Starts a session of an emitted type.</summary>
    /// <param name="start">What the store hands to it.</param>
    protected FasterSession(SessionStart start)
        : this((FasterStore)start.Store, start.Name, start.Entry)
    {
    }

    internal FasterStore Store => (FasterStore)Core.Store;
}
