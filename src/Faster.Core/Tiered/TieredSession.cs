using System.ComponentModel;
using Faster.Contracts;
using Faster.Sessions;

namespace Faster.Tiered;

/// <summary>
/// A session of the tiered store. Operations work on the hot tier; a search that finds nothing there goes on in the
/// cold one (paper 003 §5.3).
/// </summary>
/// <remarks>As <see cref="HashSession{TProbe}"/>.</remarks>
/// <typeparam name="TProbe">A test's probe, or <see cref="NoProbe"/>.</typeparam>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed class TieredSession<TProbe> : HashSession<TProbe>
    where TProbe : struct, IProbe
{
    internal TieredSession(TieredStore<TProbe> store, string? name, SessionEntry<TProbe>? entry = null)
        : base(store.Core, name, entry)
    {
    }
}
