using System.ComponentModel;
using Faster.Sessions;

namespace Faster.Stores;

/// <summary>What a store hands to a session of an emitted type that it starts.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly struct SessionStart
{
    internal SessionStart(EngineStore store, string? name, SessionEntry entry) =>
        (Store, Name, Entry) = (store, name, entry);

    internal EngineStore Store { get; }

    internal string? Name { get; }

    internal SessionEntry Entry { get; }
}
