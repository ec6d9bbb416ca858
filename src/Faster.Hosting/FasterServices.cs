using Faster.Contracts;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;

namespace Faster.Hosting;

/// <summary>Adds stores to an application.</summary>
public static class FasterServices
{
    /// <summary>
    /// Adds a store as a singleton, and its session as a scoped service: each scope, such as a request, has a session
    /// of its own. The settings are in the section <c>Faster:NAME</c> of the configuration. The store is open before
    /// the first hosted service starts, and commits and closes after the last has stopped.
    /// </summary>
    /// <typeparam name="TStore">The emitted store, such as <c>Words.Store</c>.</typeparam>
    /// <param name="services">The application's services.</param>
    /// <param name="configure">Sets settings in code, after the configuration; or null.</param>
    /// <param name="name">
    /// The store's name; null for that of its class, such as <c>Words</c>. It is also the key of the services. Where
    /// one type is added more than once, only the keyed services can be used.
    /// </param>
    /// <returns>The services.</returns>
    /// <exception cref="ArgumentException">There is a store of the name.</exception>
    public static IServiceCollection AddFaster<TStore>(
        this IServiceCollection services, Action<FasterSettings>? configure = null, string? name = null)
        where TStore : class, IHostedStore<TStore>
    {
        ArgumentNullException.ThrowIfNull(services);
        if (name is not null) ArgumentException.ThrowIfNullOrWhiteSpace(name);
        TStore.ShowTo(new Addition(services, configure, name ?? NameOf(typeof(TStore))));
        return services;
    }

    // Words.Store is Words, and Words.TieredStore is WordsTiered.
    private static string NameOf(Type store)
    {
        string[] names = (store.FullName ?? store.Name).Split('.')[^1].Split('+');
        string own = names[^1] == "Store" ? "" : names[^1].Replace("Store", "", StringComparison.Ordinal);
        return names.Length < 2 ? names[^1] : names[^2] + own;
    }

    // Looked for once, and not for each scope.
    private sealed record OnlyStore<TStore>(string Name);

    private sealed class Addition(IServiceCollection services, Action<FasterSettings>? configure, string name)
        : IHostedStoreVisitor
    {
        public void Visit<TStore, TSession>()
            where TStore : class, IHostedStore<TStore, TSession>
            where TSession : class, IAsyncDisposable, IDisposable
        {
            HostEntry entry = new(
                name, typeof(TStore), TStore.DefaultOptions,
                static async (path, options, progress, ct) =>
                    (IStore)await TStore.OpenAsync(path, options, progress, ct).ConfigureAwait(false));
            if (Entries().Any(other => other.Name == name))
            {
                throw new ArgumentException(
                    $"There is a store '{name}' already. Give each a name of its own: "
                    + $"AddFaster<{Of(entry)}>(name: …).");
            }

            AddSettings(entry);
            services.TryAddSingleton(static provider => new HostServices(provider));
            services.AddSingleton(entry);
            services.AddKeyedSingleton(
                entry, static (provider, key) =>
                    new StoreHost((HostEntry)key!, provider.GetRequiredService<HostServices>()));
            services.AddSingleton<IHostedService>(provider => provider.GetRequiredKeyedService<StoreHost>(entry));
            services.AddKeyedSingleton(
                name, (provider, _) => (TStore)provider.GetRequiredKeyedService<StoreHost>(entry).Store);
            services.AddKeyedScoped(
                name, static (provider, key) => provider.GetRequiredKeyedService<TStore>(key).StartSession());
            services.TryAddSingleton(static provider => new OnlyStore<TStore>(OnlyName(provider, typeof(TStore))));
            services.TryAddSingleton(static provider =>
                provider.GetRequiredKeyedService<TStore>(provider.GetRequiredService<OnlyStore<TStore>>().Name));
            services.TryAddScoped(static provider =>
                provider.GetRequiredKeyedService<TSession>(provider.GetRequiredService<OnlyStore<TStore>>().Name));
        }

        private static string Of(HostEntry entry) => (entry.Type.FullName ?? entry.Type.Name).Replace('+', '.');

        private static string OnlyName(IServiceProvider provider, Type store)
        {
            HostEntry[] own = [.. provider.GetServices<HostEntry>().Where(entry => entry.Type == store)];
            return own.Length == 1
                ? own[0].Name
                : throw new InvalidOperationException(
                    $"There are {own.Length} stores of the type {Of(own[0])}: name the one that you want, as in "
                    + $"[FromKeyedServices(\"{own[0].Name}\")]. There are "
                    + $"{string.Join(", ", own.Select(static entry => $"'{entry.Name}'"))}.");
        }

        private IEnumerable<HostEntry> Entries() => services
            .Where(static service => !service.IsKeyedService)
            .Select(static service => service.ImplementationInstance).OfType<HostEntry>();

        private void AddSettings(HostEntry entry)
        {
            services.AddOptions<FasterSettings>(name).ValidateOnStart();
            services.AddSingleton<IConfigureOptions<FasterSettings>>(
                provider => new SettingsReader(entry.Name, provider.GetService<IConfiguration>()));
            if (configure is not null) services.Configure(name, configure);
            services.AddSingleton<IValidateOptions<FasterSettings>>(new SettingsCheck(name, entry.Defaults));
        }
    }
}
