using System.ComponentModel;

namespace Faster.Contracts;

/// <summary>
/// An engine as <see cref="StoreAttribute.Engine"/> names it: the types of its store, sessions and options. What the
/// engine can do is what interfaces of this namespace its store and sessions implement, one for each capability
/// (docs/internals/engine-contract.md).
/// </summary>
/// <remarks>
/// The store also implements <see cref="IFolderStore{TStore, TOptions}"/> or
/// <see cref="IMemoryStore{TStore, TOptions}"/>, which open it. Emitted code calls the members of the concrete types,
/// so all members are implemented publicly, but for those that a member with more parameters stands in for.
/// </remarks>
/// <typeparam name="TStore">The type of the store, closed.</typeparam>
/// <typeparam name="TSession">The type of its sessions, sealed.</typeparam>
/// <typeparam name="TOptions">The type of the options with which it is opened.</typeparam>
[EditorBrowsable(EditorBrowsableState.Never)]
public interface IEngine<TStore, TSession, TOptions>
    where TStore : class, IEngineStore<TSession, TOptions>
    where TSession : class, IEngineSession
    where TOptions : class, new();
