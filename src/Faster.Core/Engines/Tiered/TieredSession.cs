using System.ComponentModel;
using Faster.LogSessions;
using Faster.Sessions;
using Faster.Stores;

namespace Faster.Engines.Tiered;

/// <summary>
/// A session of the tiered store. Operations work on the hot tier; a search that finds nothing there goes on in the
/// cold one (paper 003 §5.3).
/// </summary>
/// <remarks>As <see cref="HashSession"/>.</remarks>
[EditorBrowsable(EditorBrowsableState.Never)]
public class TieredSession : HashSession
{
    internal TieredSession(TieredStore store, string? name, SessionEntry? entry = null)
        : base(store.Core, name, entry)
    {
    }

    /// <summary>Starts a session of an emitted type.</summary>
    /// <param name="start">What the store hands to it.</param>
    protected TieredSession(SessionStart start)
        : this((TieredStore)start.Store, start.Name, start.Entry)
    {
    }
}
