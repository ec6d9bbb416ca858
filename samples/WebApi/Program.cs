using Faster;
using Faster.Hosting;
using WebApi;
using WebApi.Stores;

const int RequestsPerSecond = 100;
WebApplicationBuilder builder = WebApplication.CreateSlimBuilder(
    new WebApplicationOptions { Args = args, ContentRootPath = AppContext.BaseDirectory });
builder.Services.AddFaster<Counters.Store>().AddFaster<Visitors.Store>().AddFaster<Limits.Store>();
builder.Services.AddHealthChecks().AddFaster();
WebApplication app = builder.Build();
using var meters = new LiveMeters();

app.MapHealthChecks("/ready", new() { Predicate = static check => check.Tags.Contains(FasterHealth.ReadyTag) });
app.MapHealthChecks("/live", new() { Predicate = static check => check.Tags.Contains(FasterHealth.LiveTag) });

// A rate limiter in front of the API. Each request has sessions of its own.
RouteGroupBuilder api = app.MapGroup("/api").AddEndpointFilter(static async (context, next) =>
{
    HttpContext http = context.HttpContext;
    Limits.Session limits = http.RequestServices.GetRequiredService<Limits.Session>();
    string client = http.Request.Headers["X-Client"].ToString() is { Length: > 0 } named
        ? named
        : $"{http.Connection.RemoteIpAddress}";
    RmwResult<long> used = await limits.RmwAsync(client, Environment.TickCount64 / 1000);
    return used.Value <= RequestsPerSecond ? await next(context) : Results.StatusCode(429);
});

// Counters. With ?durable=true the answer comes when a kill can't take the count back.
api.MapPost("/counters/{name}", static async (string name, Counters.Session counters, bool durable = false) =>
{
    RmwResult<long> counted = await counters.RmwAsync(name, 1);
    if (durable) await counters.CommitAsync();
    return $"{counted.Value}";
});
api.MapGet("/counters/{name}", static async (string name, Counters.Session counters) =>
    $"{(await counters.ReadAsync(name)).Value}");

// A session store: what is written lives for an hour.
api.MapPut("/visitors/{id}", static async (Guid id, HttpRequest request, Visitors.Session visitors) =>
{
    using var body = new StreamReader(request.Body);
    await visitors.UpsertAsync(id, await body.ReadToEndAsync());
});
api.MapGet("/visitors/{id}", static async (Guid id, Visitors.Session visitors) =>
    await visitors.ReadAsync(id) is { Found: true } visitor ? Results.Text(visitor.Value) : Results.NotFound());

// Calls of one session that overlap are refused, so two threads each take a session of the store.
api.MapPost("/counters/{name}/twice", static async (string name, Counters.Store store) =>
{
    await Task.WhenAll(Task.Run(AddAsync), Task.Run(AddAsync));
    async Task AddAsync()
    {
        await using Counters.Session own = store.StartSession();
        await own.RmwAsync(name, 1);
    }
});

app.MapGet("/meters", meters.ReadAll);
app.MapGet("/", static () => Results.Content(Page.Html, "text/html"));
await app.RunAsync();
